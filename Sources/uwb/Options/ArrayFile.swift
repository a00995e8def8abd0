import Foundation
import UWBCapture
import UWBDSP

/// An antenna array as JSON: `{"carrier_hz": 7987200000, "positions_m": [[0, 0, 0], [0.0188, 0, 0]]}`.
enum ArrayFile {
  private struct Contents: Decodable {
    var carrier: Double
    var positions: [[Double]]

    enum CodingKeys: String, CodingKey {
      case carrier = "carrier_hz"
      case positions = "positions_m"
    }
  }

  static func read(_ path: String) throws -> AntennaArray {
    let contents = try JSONFile.decode(
      Contents.self, path,
      remedy: "An array file looks like {\"carrier_hz\": 7987200000, \"positions_m\": [[0,0,0], [0.0188,0,0]]}.")
    guard contents.carrier > 0, contents.carrier.isFinite else {
      throw CaptureError(
        file: path, place: "carrier_hz", problem: "\(contents.carrier) is no frequency",
        remedy: "Give the carrier in hertz, 7987200000 for channel 9.")
    }
    guard !contents.positions.isEmpty else {
      throw CaptureError(
        file: path, place: "positions_m", problem: "there are no antennas",
        remedy: "Give one [x, y, z] in metres for each antenna.")
    }
    let positions = try contents.positions.enumerated().map { index, position in
      guard position.count == 3, position.allSatisfy(\.isFinite) else {
        throw CaptureError(
          file: path, place: "positions_m[\(index)]", problem: "\(position) is no position",
          remedy: "Give three numbers, [x, y, z] in metres.")
      }
      return SIMD3(position[0], position[1], position[2])
    }
    return AntennaArray(positions: positions, carrier: contents.carrier)
  }
}
