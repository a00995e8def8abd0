import UWBCapture
import UWBDSP

var reader = try openCapture(CommandLine.arguments[1])
let profile = DeviceProfile.named(reader.header.profile) ?? .dw1000
let pipeline = RangingPipeline(RangingEngine(.init(profile: profile)))
while let exchange = try reader.next() {
  let delivered = pipeline.process(exchange)
  print(delivered.time, delivered.distance ?? .nan, delivered.distanceDeviation ?? .nan)
}
