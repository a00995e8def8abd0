import NearbyPorts
import NearbyUCIRadio
import UWBCapture
import UWBLive

/// A capture at its recorded pace, or a pipe as it comes.
struct LiveReplay: LiveStream {
  private let path: String
  private let name: String
  private let poses: PoseTable?
  private var input: EngineInput

  /// - Throws: `CaptureError` for a capture that can't be read.
  init(_ path: String, engine: EngineOptions, poses: PoseTable?) throws {
    self.path = path
    self.poses = poses
    name = CaptureNames.shortest([path])[0]
    // Somebody waits for each update: none is held back for company.
    var queue = CaptureQueue([path], engine: engine, pool: WorkPool(threads: 1))
    input = try queue.next(name: name)
  }

  var state: LiveState { LiveState(title: name, kind: path == "-" ? .pipe : .replay, devices: [name]) }

  mutating func run(into feed: LiveFeed) throws {
    var output = LiveFeedOutput(feed, device: name)
    output.begin(capture: name, header: input.header)
    var pacer = Pacer(isOn: path != "-")
    var pipeline = ReplayPipeline(poses: poses)
    try input.measure { exchange in
      pacer.wait(until: exchange.time)
      return !Interruption.isRequested
    } deliver: { exchange, raw in
      try pipeline.process(exchange, raw) { try output.write($0) }
      try output.flush()
    }
    try pipeline.finish(skipped: input.skipped) { try output.write($0) }
    try output.end(pipeline.totals)
    try output.finish(pipeline.totals)
  }
}

/// A UCI radio, as `uwb range` has it.
struct LiveRadio: LiveStream {
  private let address: PortAddress
  private let parameters: RangeParameters

  init(_ address: PortAddress, parameters: RangeParameters) {
    self.address = address
    self.parameters = parameters
  }

  var state: LiveState { LiveState(title: "\(address)", kind: .radio, devices: ["\(address)"]) }

  mutating func run(into feed: LiveFeed) throws {
    let session = try parameters.makeSession()
    let run = try RangeRun(device: "\(address)", output: LiveFeedOutput(feed, device: "\(address)"))
    let connection = UCIConnection(address)
    connection.start(session.id, parameters: session.parameters)
    let device = "\(address)"
    let isEnded = { Interruption.isRequested }
    try connection.run(isEnded: isEnded) { event in
      if let text = Self.text(of: event) {
        feed.change { state in state.note(LiveEvent(time: nil, peer: device, text: text), of: device) }
      }
      try run.take(event)
    }
    try run.finish()
  }

  private static func text(of event: UCIConnection.Event) -> String? {
    switch event {
    case .ready: "the radio is ready"
    case .unavailable(let error): "the radio is gone: \(error)"
    case .started: "session started"
    case .stopped: "session stopped"
    case .failed(_, let error): "session failed: \(error)"
    case .packet, .info: nil
    }
  }
}
