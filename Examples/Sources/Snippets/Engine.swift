// What README shows of the engine.
import Foundation
import UWBCapture
import UWBDSP

func deliveredDistances() throws {
  let calibration = try JSONDecoder().decode(Calibration.self, from: Data(contentsOf: URL(filePath: "cal.json")))
  let pipeline = RangingPipeline(RangingEngine(.init(profile: .dw1000, calibration: calibration)))
  var reader = try openCapture("12.log")
  while let exchange = try reader.next() {
    let delivered = pipeline.process(exchange)
    print(delivered.time, delivered.distance ?? .nan, delivered.distanceDeviation ?? .nan)
  }
}
