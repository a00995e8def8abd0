import Foundation
import UWBDSP

/// Arrays that an evaluation knows by name, in wavelengths of channel 9.
enum NamedArray {
  static let known = "pair, l3, square4, sparse4, uniform4, circle6, ula2 … ula32 (λ/2); or a file.json"

  static let names = ["pair", "l3", "square4", "sparse4", "uniform4", "circle6"] + (2...32).map { "ula\($0)" }

  private static let carrier = 7.9872e9

  /// A named array, or that of a file; `nil` where there is none of that name.
  static func find(_ name: String) throws -> AntennaArray? {
    let wavelength = UWB.speedOfLightInAir / carrier
    func row(_ places: [Double]) -> AntennaArray {
      AntennaArray(positions: places.map { SIMD3($0 * wavelength, 0, 0) }, carrier: carrier)
    }
    switch name {
    case "pair": return .linear(count: 2, spacing: wavelength / 2, carrier: carrier)
    case "l3": return .cornered(spacing: wavelength / 2, carrier: carrier)
    case "square4":
      return .rectangular(columns: 2, rows: 2, spacing: SIMD2(repeating: wavelength / 2), carrier: carrier)
    case "sparse4": return row([0, 0.8, 1.8, 3.1])
    case "uniform4": return row([0, 0.8, 1.6, 2.4])
    case "circle6": return .circular(count: 6, radius: wavelength / 2, carrier: carrier)
    default:
      if name.hasPrefix("ula"), let count = Int(name.dropFirst(3)), (2...32).contains(count) {
        return .linear(count: count, spacing: wavelength / 2, carrier: carrier)
      }
      return name.hasSuffix(".json") ? try ArrayFile.read(name) : nil
    }
  }
}
