import UWBDSP

/// Builds one JSON object a line, byte by byte: fixed decimals, so that the same numbers give the same bytes
/// everywhere, and no allocation once the buffer has its size.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func begin() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  mutating func end() {
    bytes.append(contentsOf: "}\n".utf8)
  }

  mutating func add(_ name: StaticString, _ value: String?) {
    guard let value else { return null(name) }
    key(name)
    string(value)
  }

  mutating func add(_ name: StaticString, _ value: Int) {
    key(name)
    bytes.appendDecimal(Double(value), places: 0)
  }

  /// A number with so many decimal places; what is absent or not finite is `null`.
  mutating func add(_ name: StaticString, _ value: Double?, places: Int) {
    guard let value, value.isFinite else { return null(name) }
    key(name)
    bytes.appendDecimal(value, places: places)
  }

  mutating func add(_ name: StaticString, _ value: SIMD3<Double>?, places: Int) {
    guard let value else { return null(name) }
    key(name)
    bytes.append(UInt8(ascii: "["))
    for index in 0..<3 {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      number(value[index], places: places)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A list of at most one direction, angles in degrees.
  mutating func add(_ name: StaticString, directions value: SourceDirection?, places: Int) {
    key(name)
    bytes.append(UInt8(ascii: "["))
    if let value {
      bytes.append(UInt8(ascii: "{"))
      needsComma = false
      for (member, angle) in [
        ("azimuth_deg" as StaticString, value.azimuth), ("elevation_deg", value.elevation),
        ("azimuth_std_deg", value.azimuthDeviation), ("elevation_std_deg", value.elevationDeviation),
      ] {
        add(member, angle?.degrees, places: places)
      }
      bytes.append(UInt8(ascii: "}"))
      needsComma = true
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A number of any size with so many significant digits; what is absent or not finite is `null`.
  mutating func add(_ name: StaticString, _ value: Double?, digits: Int) {
    guard let value, value.isFinite else { return null(name) }
    key(name)
    bytes.appendDecimal(value, digits: digits)
  }

  /// What is JSON already.
  mutating func add(_ name: StaticString, json: [UInt8]) {
    key(name)
    bytes.append(contentsOf: json)
  }

  /// An object of counts, by ascending name.
  mutating func add(_ name: StaticString, _ counts: [String: Int]) {
    key(name)
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    for (reason, count) in counts.sorted(by: { $0.key < $1.key }) {
      comma()
      string(reason)
      bytes.append(UInt8(ascii: ":"))
      bytes.appendDecimal(Double(count), places: 0)
    }
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// An object of numbers that may be absent: those that are not `nil` at all, in the order given.
  mutating func add(
    _ name: StaticString, _ first: (StaticString, Double?), _ rest: (StaticString, Double?)..., places: Int
  ) {
    key(name)
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    add(first.0, first.1, places: places)
    for (member, value) in rest { add(member, value, places: places) }
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  private mutating func null(_ name: StaticString) { key(name, "null") }

  /// A member's name and what follows it. Put together in the array's own memory: each append would look at its room anew.
  private mutating func key(_ name: StaticString, _ value: StaticString = "") {
    let needsComma = needsComma
    self.needsComma = true
    let (nameCount, valueCount) = (name.utf8CodeUnitCount, value.utf8CodeUnitCount)
    bytes.append(addingCapacity: nameCount + valueCount + 4) { text in
      if needsComma { text.append(UInt8(ascii: ",")) }
      text.withUnsafeMutableBufferPointer { memory, count in
        guard let place = memory.baseAddress.map({ UnsafeMutableRawPointer($0 + count) }) else { return }
        place.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        place.advanced(by: 1).copyMemory(from: name.utf8Start, byteCount: nameCount)
        place.storeBytes(of: UInt8(ascii: "\""), toByteOffset: nameCount + 1, as: UInt8.self)
        place.storeBytes(of: UInt8(ascii: ":"), toByteOffset: nameCount + 2, as: UInt8.self)
        place.advanced(by: nameCount + 3).copyMemory(from: value.utf8Start, byteCount: valueCount)
        count += nameCount + valueCount + 3
      }
    }
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  private mutating func number(_ value: Double, places: Int) {
    if value.isFinite { bytes.appendDecimal(value, places: places) } else { bytes.append(contentsOf: "null".utf8) }
  }

  private mutating func string(_ value: String) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { text in
      if text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
        bytes.append(contentsOf: text)
      } else {
        for byte in text { character(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func character(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
    case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
    case 0..<0x20:
      let digits = Array("0123456789abcdef".utf8)
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(digits[Int(byte >> 4)])
      bytes.append(digits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }
}
