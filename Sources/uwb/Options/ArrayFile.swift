import Foundation
import Numerics
import UWBCapture
import UWBDSP

/// An antenna array as JSON: `{"carrier_hz": 7987200000, "positions_m": [[0, 0, 0], [0.0188, 0, 0]]}`, or with a `layout`
/// in place of positions; `gains`, `pattern` or `patterns`, and a measured `manifold` on top. `Documentation/reference/CommandLine.md`
/// has the fields, `Documentation/arrays` examples.
enum ArrayFile {
  private static let remedy =
    "An array file looks like {\"carrier_hz\": 7987200000, \"positions_m\": [[0,0,0], [0.0188,0,0]]}; see Documentation/arrays."

  private struct Contents: Decodable {
    var carrier: Double
    var positions: [[Double]]?
    var layout: Layout?
    var gains: [Gain]?
    var pattern: Pattern?
    var patterns: [Pattern]?
    var manifold: Manifold?

    enum CodingKeys: String, CodingKey {
      case carrier = "carrier_hz"
      case positions = "positions_m"
      case layout, gains, pattern, patterns, manifold
    }
  }

  private struct Layout: Decodable {
    var kind: String
    var count: Int?
    var columns: Int?
    var rows: Int?
    var spacing: Double?
    var spacingWavelengths: Double?
    var radius: Double?
    var radiusWavelengths: Double?

    enum CodingKeys: String, CodingKey {
      case kind, count, columns, rows
      case spacing = "spacing_m"
      case spacingWavelengths = "spacing_wavelengths"
      case radius = "radius_m"
      case radiusWavelengths = "radius_wavelengths"
    }
  }

  private struct Gain: Decodable {
    var leveldB: Double?
    var phase: Double?

    enum CodingKeys: String, CodingKey {
      case leveldB = "level_db"
      case phase = "phase_deg"
    }
  }

  private struct Pattern: Decodable {
    var kind: String
    var exponent: Double?
    var boresight: [Double]?
  }

  private struct Axis: Decodable {
    var first: Double
    var step: Double?
    var count: Int
  }

  private struct Manifold: Decodable {
    var azimuth: Axis
    var elevation: Axis
    var responses: [[Double]]

    enum CodingKeys: String, CodingKey {
      case azimuth = "azimuth_deg"
      case elevation = "elevation_deg"
      case responses
    }
  }

  static func read(_ path: String) throws -> AntennaArray {
    let contents = try JSONFile.decode(Contents.self, path, remedy: remedy)
    func fault(_ place: String, _ problem: String, _ remedy: String) -> CaptureError {
      CaptureError(file: path, place: place, problem: problem, remedy: remedy)
    }
    guard EngineLimits.carrier.contains(contents.carrier) else {
      throw fault(
        "carrier_hz", "\(contents.carrier) is not a frequency", "Give the carrier in hertz, 7987200000 for channel 9.")
    }
    guard (contents.positions == nil) != (contents.layout == nil) else {
      throw fault(
        "positions_m", contents.layout == nil ? "is missing" : "stands beside a layout",
        "Give either positions_m or layout.")
    }
    let layout = try contents.layout.map { try read($0, carrier: contents.carrier, fault) }
    var array = AntennaArray(
      try AntennaLayout(
        positions: layout?.positions.map { [$0.x, $0.y, $0.z] } ?? contents.positions ?? [], carrier: contents.carrier,
        file: path, positionsField: layout == nil ? "positions_m" : "layout"))
    let count = array.positions.count
    if let gains = contents.gains {
      guard gains.count == count else {
        throw fault("gains", "there are \(gains.count) for \(count) antennas", "Give one gain for each antenna.")
      }
      array.gains = try gains.enumerated().map { index, gain in
        let (level, phase) = (gain.leveldB ?? 0, gain.phase ?? 0)
        guard abs(level) <= 100, abs(phase) <= EngineLimits.phase else {
          throw fault(
            "gains[\(index)]", "is not a gain",
            "Give level_db within ±100 dB and phase_deg within ±\(EngineLimits.phase).")
        }
        return Complex(length: pow(10, level / 20), phase: phase * .pi / 180)
      }
    }
    array.patterns = try read(contents, count, fault)
    if let manifold = contents.manifold { array.manifold = try read(manifold, over: array, fault) }
    return array
  }

  private typealias Fault = (_ place: String, _ problem: String, _ remedy: String) -> CaptureError

  private static func read(_ layout: Layout, carrier: Double, _ fault: Fault) throws -> AntennaArray {
    let wavelength = UWB.speedOfLightInAir / carrier
    func length(_ metres: Double?, _ wavelengths: Double?, _ name: String) throws -> Double {
      guard let value = metres ?? wavelengths.map({ $0 * wavelength }), value > 0, value < 1000 else {
        throw fault("layout.\(name)_m", "is missing or no length", "Give \(name)_m or \(name)_wavelengths.")
      }
      return value
    }
    func number(_ value: Int?, _ name: String) throws -> Int {
      let counts = EngineLimits.antennaCount
      guard let value, counts.contains(value) else {
        throw fault(
          "layout.\(name)", "is missing or not from 1 to \(counts.upperBound)", "Give the number of antennas.")
      }
      return value
    }
    switch layout.kind {
    case "linear":
      return .linear(
        count: try number(layout.count, "count"),
        spacing: try length(layout.spacing, layout.spacingWavelengths, "spacing"), carrier: carrier)
    case "corner":
      return .cornered(
        right: try number(layout.columns ?? 1, "columns"), up: try number(layout.rows ?? 1, "rows"),
        spacing: try length(layout.spacing, layout.spacingWavelengths, "spacing"), carrier: carrier)
    case "rectangular":
      let (columns, rows) = (try number(layout.columns, "columns"), try number(layout.rows, "rows"))
      let spacing = try length(layout.spacing, layout.spacingWavelengths, "spacing")
      return .rectangular(columns: columns, rows: rows, spacing: SIMD2(spacing, spacing), carrier: carrier)
    case "circular":
      return .circular(
        count: try number(layout.count, "count"),
        radius: try length(layout.radius, layout.radiusWavelengths, "radius"), carrier: carrier)
    default:
      throw fault(
        "layout.kind", "there is no layout “\(layout.kind)”", "Known ones: linear, corner, rectangular, circular.")
    }
  }

  private static func read(_ contents: Contents, _ count: Int, _ fault: Fault) throws -> [ElementPattern] {
    let list = contents.patterns ?? contents.pattern.map { [$0] } ?? []
    guard contents.patterns == nil || (contents.pattern == nil && list.count == count) else {
      throw fault(
        "patterns", "there are \(list.count) for \(count) antennas",
        "Give one pattern for each antenna, or pattern alone.")
    }
    return try list.enumerated().map { index, pattern in
      let place = contents.patterns == nil ? "pattern" : "patterns[\(index)]"
      switch pattern.kind {
      case "isotropic": return .isotropic
      case "cosine":
        let vector = pattern.boresight ?? [0, 0, -1]
        let exponent = pattern.exponent ?? 1
        guard vector.count == 3, vector.allSatisfy(\.isFinite), exponent > 0, exponent <= 100 else {
          throw fault(place, "is not a cosine pattern", "Give boresight as [x, y, z] and an exponent up to 100.")
        }
        let raw = SIMD3(vector[0], vector[1], vector[2])
        let size = raw.length
        guard size > 0, size.isFinite else { throw fault(place, "has no boresight", "Give a vector that is not zero.") }
        return .cosine(exponent: exponent, boresight: raw / size)
      default:
        throw fault("\(place).kind", "there is no pattern “\(pattern.kind)”", "Known ones: isotropic, cosine.")
      }
    }
  }

  private static func read(_ manifold: Manifold, over array: AntennaArray, _ fault: Fault) throws -> ManifoldGrid {
    func axis(_ axis: Axis, _ name: String) throws -> ManifoldGrid.Axis {
      let step = axis.step ?? 0
      guard axis.count >= 1, axis.count <= 3600, abs(axis.first) <= 360, axis.count == 1 || (step > 0 && step <= 180)
      else {
        throw fault("manifold.\(name)", "is not an axis", "Give first, step (degrees) and count.")
      }
      return ManifoldGrid.Axis(first: axis.first * .pi / 180, step: step * .pi / 180, count: axis.count)
    }
    let azimuths = try axis(manifold.azimuth, "azimuth_deg")
    let elevations = try axis(manifold.elevation, "elevation_deg")
    let expected = azimuths.count * elevations.count * array.positions.count
    guard manifold.responses.count == expected else {
      throw fault(
        "manifold.responses", "there are \(manifold.responses.count) of \(expected)",
        "Give [real, imaginary] for each azimuth, elevation and antenna, azimuth fastest, then elevation.")
    }
    let responses = try manifold.responses.enumerated().map { index, pair in
      guard pair.count == 2, pair.allSatisfy({ abs($0) <= 1e6 }) else {
        throw fault(
          "manifold.responses[\(index)]", "is no response", "Give [real, imaginary], each within ±1000000.")
      }
      return Complex(pair[0], pair[1])
    }
    return ManifoldGrid(measured: responses, azimuths: azimuths, elevations: elevations, over: array)
  }
}
