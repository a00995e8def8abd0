// Delivered distances of a capture: measured, calibrated where a calibration file is named, tracked.
import Foundation
import UWBCapture
import UWBDSP

@main struct DistanceFromLog {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let capture = arguments.first else { return print("DistanceFromLog CAPTURE [CALIBRATION]") }
    let calibration = try arguments.dropFirst().first.map { file in
      try JSONDecoder().decode(Calibration.self, from: Data(contentsOf: URL(filePath: file)))
    }
    var reader = try openCapture(capture)
    let profile = DeviceProfile.named(reader.header.profile) ?? .dw1000
    let engine = RangingEngine(.init(profile: profile, calibration: calibration ?? Calibration()))
    let pipeline = RangingPipeline(engine)
    while let exchange = try reader.next() {
      let delivered = pipeline.process(exchange)
      print(delivered.time, delivered.distance ?? .nan, delivered.distanceDeviation ?? .nan)
    }
  }
}
