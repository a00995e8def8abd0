import UWBTypes

/// What the frames of one peer's part in a round have become: the messages of an exchange.
struct RoundFrames: Sendable {
  var initiator = RangingExchange.Initiator.peer
  var first: Reception?
  var second: Reception?
  /// Windows that have no part in it: of other segments, of frames for which an exchange has no place, or of frames that were sent.
  var unusedWindows = 0
  var unreadableWindows = 0

  private static let (poll, response, final): (UInt8, UInt8, UInt8) = (0, 1, 2)

  /// - Parameter isInitiator: the session's role, where its configuration is known. Frames of ranging tell it themselves.
  init(_ reports: [FrameReport], isInitiator: Bool?) {
    var received: [(message: UInt8, reception: Reception)] = []
    for report in reports {
      let (windows, unreadable) = report.windows()
      unreadableWindows += unreadable
      let isReceived = report.isTransmitted == 0
      let (reception, unused) = isReceived ? Reception.joining(windows, of: report) : (nil, windows.count)
      unusedWindows += unused
      if let reception { received.append((report.message, reception)) }
    }
    let messages = Set(received.map(\.message))
    initiator =
      messages.contains(Self.response)
      ? .local
      : messages.contains(Self.poll) || messages.contains(Self.final) || isInitiator != true ? .peer : .local
    func take(_ isWanted: (UInt8) -> Bool) -> Reception? {
      received.firstIndex { isWanted($0.message) }.map { received.remove(at: $0).reception }
    }
    first = take { $0 == (initiator == .local ? Self.response : Self.poll) }
    if initiator == .peer { second = take { $0 == Self.final } }
    // Frames of control and reports went through the same channel.
    if first == nil { first = take { _ in true } }
    unusedWindows += received.reduce(0) { $0 + ($1.reception.impulseResponse?.antennaCount ?? 0) }
  }

  /// Enters the receptions where the engine looks for them.
  func enter(into exchange: inout RangingExchange) {
    guard first != nil || second != nil else { return }
    exchange.initiator = initiator
    switch initiator {
    case .peer: if let first { exchange.poll.reception = first }
    case .local: exchange.response = first.map { RangingMessage(reception: $0) }
    }
    exchange.final = second.map { RangingMessage(reception: $0) }
  }
}
