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

  private static let poll: UInt8 = 0
  private static let response: UInt8 = 1
  private static let final: UInt8 = 2

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
    let hasResponse = received.contains { $0.message == Self.response }
    let isFromPeer = received.contains { $0.message == Self.poll || $0.message == Self.final }
    initiator = hasResponse || !isFromPeer && isInitiator == true ? .local : .peer
    first = Self.take(initiator == .local ? Self.response : Self.poll, of: &received)
    if initiator == .peer { second = Self.take(Self.final, of: &received) }
    // Frames of control and reports went through the same channel.
    if first == nil, !received.isEmpty { first = received.removeFirst().frame }
    unusedWindows += received.reduce(0) { $0 + ($1.frame.reception?.impulseResponse?.antennaCount ?? 0) }
  }

  private static func take(
    _ message: UInt8, of received: inout [(message: UInt8, frame: RangingMessage)]
  ) -> RangingMessage? {
    received.firstIndex { $0.message == message }.map { received.remove(at: $0).frame }
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
