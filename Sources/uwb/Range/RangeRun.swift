import Foundation
import NearbyPorts
import NearbyUCI
import NearbyUCIRadio
import UWBCapture
import UWBDSP

/// From a radio's traffic to events: the way that a recording of the same traffic takes in `uwb replay`.
final class RangeRun {
  private let device: String
  private let count: Int?
  private let recording: UCIRecordingWriter?
  private var exchanges = UCIExchanges()
  private var output: any ReplayOutput
  private var pipeline = ReplayPipeline()
  private let ranging = RangingPipeline(RangingEngine(.init(profile: .dw3000)), tracking: nil)
  private let start = ContinuousClock.now
  /// µs since 1970, at `start`
  private let startMicroseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1e6)
  private var isReady = false
  private(set) var isDone = false

  init(
    device: String, record: String? = nil, count: Int? = nil, output: any ReplayOutput = NDJSONOutput(ByteOutput())
  ) throws {
    self.device = device
    self.count = count
    self.output = output
    recording = try record.map { try UCIRecordingWriter(path: $0) }
    // A recording's events name the recording, live as well as replayed.
    self.output.begin(
      capture: record.map { CaptureNames.shortest([$0])[0] } ?? device,
      header: UCIExchanges.header)
  }

  func take(_ event: UCIConnection.Event) throws {
    switch event {
    case .packet(let packet): try take(packet)
    case .ready:
      if isReady { Message.note("\(device): the radio is back.") }
      isReady = true
    case .unavailable(let error):
      guard isReady else {
        throw RangeError(device: device, error)
      }
      Message.note("\(device): the radio is gone (\(error)). Waiting until it is back.")
    case .failed(_, let error):
      guard !isDone else { return }
      throw CaptureError(
        file: device, problem: "the session failed: \(error)",
        remedy: "Check the parameters; both ends must agree in them, and in the session's id.")
    case .started, .stopped, .info: break
    }
  }

  private func take(_ packet: UCIPacket) throws {
    // What comes while the session is being stopped is no part of the result.
    guard !isDone else { return }
    let (seconds, attoseconds) = start.duration(to: .now).components
    let microseconds = startMicroseconds + UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
    try recording?.append(packet, microseconds: microseconds)
    try deliver(exchanges.push(packet, microseconds: microseconds))
    if let count, pipeline.totals.exchanges >= count { isDone = true }
  }

  private func deliver(_ exchanges: [RangingExchange]) throws {
    for exchange in exchanges {
      try pipeline.process(exchange, ranging.measure(exchange)) { try output.write($0) }
    }
    if !exchanges.isEmpty { try output.flush() }
  }

  /// Ends the output as a replay's.
  func finish() throws {
    try deliver(exchanges.finish())
    try pipeline.finish(skipped: exchanges.skipped) { try output.write($0) }
    try output.end(pipeline.totals)
    try output.finish(pipeline.totals)
  }
}

/// Why there is nothing to range with.
private struct RangeError: Error, CustomStringConvertible {
  let description: String

  init(device: String, _ error: UCIConnectionError) {
    switch error {
    case .port(let error):
      description = "\(error). Check the path, that the radio is plugged in, and the right to use the device."
    default:
      description =
        "\(device): \(error). Check that it is a UCI radio, and its --speed; unplug it and plug it in again."
    }
  }
}
