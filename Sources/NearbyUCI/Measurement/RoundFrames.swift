import UWBTypes

/// What the frames of one peer's part in a round have become: the messages of an exchange.
struct RoundFrames: Sendable {
  var initiator = RangingExchange.Initiator.peer
  /// Messages of which nothing but the reception is known.
  var first: RangingMessage?
  var second: RangingMessage?
  /// Windows that have no part in it: of other segments, of frames for which an exchange has no place, or of frames that were sent.
  var unusedWindows = 0
  var unreadableWindows = 0

  private static let (poll, response, final): (UInt8, UInt8, UInt8) = (0, 1, 2)

  /// - Parameters:
  ///   - isInitiator: the session's role, where its configuration is known. Frames of ranging tell it themselves.
  ///   - isOwn: whether a report is of the peer's frames.
  init(_ reports: [FrameReport], isInitiator: Bool?, where isOwn: (FrameReport) -> Bool = { _ in true }) {
    var received: [(message: UInt8, frame: RangingMessage)] = []
    received.reserveCapacity(reports.count)
    var windows: [TapWindow] = []
    for report in reports where isOwn(report) {
      windows.removeAll(keepingCapacity: true)
      unreadableWindows += report.read(&windows)
      unusedWindows += windows.count
      guard report.isTransmitted == 0, let frame = Reception.joining(&windows, of: report) else { continue }
      unusedWindows -= windows.count
      received.append((report.message, frame))
    }
    func holds(_ message: UInt8) -> Bool { received.contains { $0.message == message } }
    initiator =
      holds(Self.response) ? .local : holds(Self.poll) || holds(Self.final) || isInitiator != true ? .peer : .local
    func take(_ isWanted: (UInt8) -> Bool) -> RangingMessage? {
      received.firstIndex { isWanted($0.message) }.map { received.remove(at: $0).frame }
    }
    first = take { $0 == (initiator == .local ? Self.response : Self.poll) }
    if initiator == .peer { second = take { $0 == Self.final } }
    // Frames of control and reports went through the same channel.
    if first == nil { first = take { _ in true } }
    unusedWindows += received.reduce(0) { $0 + ($1.frame.reception?.impulseResponse?.antennaCount ?? 0) }
  }

  /// Enters the receptions where the engine looks for them.
  func enter(into exchange: inout RangingExchange) {
    guard first != nil || second != nil else { return }
    exchange.initiator = initiator
    switch initiator {
    case .peer: if let first { exchange.poll.takeReception(of: first) }
    case .local: exchange.response = first
    }
    exchange.final = second
  }
}
