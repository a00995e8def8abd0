/// Something that happened to a session.
package struct LiveEvent: Sendable, Hashable, Encodable {
  /// s
  package var time: Double?
  /// Whom it is about.
  package var peer: String
  /// What happened, with its reason.
  package var text: String

  /// - Parameters:
  ///   - time: s
  ///   - peer: whom it is about
  ///   - text: what happened, with its reason
  package init(time: Double?, peer: String, text: String) {
    self.time = time
    self.peer = peer
    self.text = text
  }

  enum CodingKeys: String, CodingKey {
    case time = "time_s"
    case peer, text
  }
}

/// The part of a channel impulse response round its first path.
package struct LiveImpulseResponse: Sendable, Hashable, Encodable {
  /// With whom.
  package var peer: String
  /// In which message it was received.
  package var message: String
  /// Tap of the first magnitude.
  package var startTap: Int
  /// ns from one tap to the next
  package var tapSpacingNanoseconds: Double
  /// Taps from the start of the accumulator; `nil` where none was found.
  package var firstPathTaps: Double?
  /// Magnitudes over their largest, 0 … 1.
  package var magnitudes: [Float]

  /// - Parameters:
  ///   - peer: with whom
  ///   - message: in which message it was received
  ///   - startTap: tap of the first magnitude
  ///   - tapSpacingNanoseconds: from one tap to the next
  ///   - firstPathTaps: where the first path is, if one was found
  ///   - magnitudes: over their largest
  package init(
    peer: String, message: String, startTap: Int, tapSpacingNanoseconds: Double, firstPathTaps: Double?,
    magnitudes: [Float]
  ) {
    self.peer = peer
    self.message = message
    self.startTap = startTap
    self.tapSpacingNanoseconds = tapSpacingNanoseconds
    self.firstPathTaps = firstPathTaps
    self.magnitudes = magnitudes
  }

  enum CodingKeys: String, CodingKey {
    case peer, message, magnitudes
    case startTap = "start_tap"
    case tapSpacingNanoseconds = "tap_spacing_ns"
    case firstPathTaps = "first_path_taps"
  }
}

/// All that one page draws at one time.
struct LiveSnapshot: Encodable {
  var title: String
  var kind: LiveState.Kind
  var devices: [String]
  var device: String?
  var time: Double?
  var end: String?
  var peers: [LivePeer]
  var impulseResponse: LiveImpulseResponse?
  var events: [LiveEvent]
  var counts: LiveCounts
  var exchangesPerSecond: Double
  var updatesPerSecond: Double
  var clients: Int

  enum CodingKeys: String, CodingKey {
    case title, kind, devices, device, end, peers, events, counts, clients
    case time = "time_s"
    case impulseResponse = "impulse_response"
    case exchangesPerSecond = "exchanges_hz"
    case updatesPerSecond = "updates_hz"
  }
}
