import Foundation

/// A column of numbers as a page carries it: whole multiples of a step, in base64.
///
/// Each value is a variable-length integer of 7 bits a byte, low bits first: 0 for a missing value, else 1 + the zigzag of its difference to
/// the value before. Smooth columns take one or two bytes a value. `data.js` reads it.
struct PageColumn: Sendable, Encodable {
  /// What one unit of the numbers is worth.
  let step: Double
  let data: String

  /// - Parameter values: what is not finite, or beyond 2⁵⁰ steps, is missing.
  init(_ values: some Sequence<Double>, step: Double) {
    var bytes: [UInt8] = []
    var last = 0
    for value in values {
      let scaled = (value / step).rounded()
      guard abs(scaled) < Double(1 << 50) else {
        bytes.append(0)
        continue
      }
      let number = Int(scaled)
      let difference = number - last
      last = number
      var code = UInt(bitPattern: difference &<< 1 ^ difference >> 63) + 1
      while code > 127 {
        bytes.append(UInt8(truncatingIfNeeded: code) | 128)
        code >>= 7
      }
      bytes.append(UInt8(code))
    }
    self.step = step
    data = Data(bytes).base64EncodedString()
  }
}
