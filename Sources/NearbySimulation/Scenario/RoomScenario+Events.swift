import NearbySession

extension RoomScenario {
  /// Something that happens at its time.
  public struct Event: Sendable, Hashable, Decodable {
    /// What happens to a device.
    public enum Action: String, Sendable, Hashable, Decodable, CaseIterable {
      /// Its app goes to the background.
      case background
      /// Its app comes to the front.
      case foreground
      /// The app pauses its sessions.
      case pause
      /// The app runs its sessions.
      case run
      /// The app invalidates its sessions, and their peers are told.
      case leave
      /// The user changes their mind.
      case decline
      /// Battery out: nothing is sent any more, no notice either.
      case powerOff = "power-off"
      /// An accessory stops ranging and says so.
      case stop
      /// Ranging messages are lost.
      case lose
      /// Notices that a session has ended are lost.
      case loseNotices = "lose-notices"
    }

    /// s
    public var time: Double
    /// Name of the device.
    public var device: String
    /// What happens.
    public var action: Action
    /// Only the session with, or the messages from and to, this one.
    public var peer: String?
    /// s that it lasts, for what is lost; to the end where it is absent.
    public var period: Double?

    /// Creates one with the given values.
    public init(at time: Double, device: String, _ action: Action, peer: String? = nil, for period: Double? = nil) {
      self.time = time
      self.device = device
      self.action = action
      self.peer = peer
      self.period = period
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case time = "at_s"
      case device, peer
      case action = "do"
      case period = "for_s"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(at: try keys.value(.time), device: try keys.value(.device), try keys.value(.action))
      try keys.read(.peer, into: &peer)
      try keys.read(.period, into: &period)
    }
  }

  /// What a device's delegate has to be told, and when.
  public struct Expectation: Sendable, Hashable, Decodable {
    /// What is expected of a session.
    public enum Kind: String, Sendable, Hashable, Decodable, CaseIterable {
      /// It starts.
      case started
      /// It has an update.
      case updated
      /// The peer is removed by timeout.
      case timeout
      /// The peer is removed because it ended its session.
      case peerEnded = "peer-ended"
      /// It is suspended.
      case suspended
      /// Its suspension ends.
      case suspensionEnded = "suspension-ended"
      /// It ends with an error.
      case invalidated
      /// Camera assistance converges.
      case converged
      /// An update without a distance.
      case withoutDistance = "without-distance"
    }

    /// Name of the device whose session it is.
    public var device: String
    /// Name of the peer.
    public var peer: String
    /// What is expected.
    public var kind: Kind
    /// s
    public var time: Double
    /// s by which it may be early or late
    public var tolerance: Double

    /// Creates one with the given values.
    public init(device: String, peer: String, _ kind: Kind, at time: Double, within tolerance: Double = 0.25) {
      self.device = device
      self.peer = peer
      self.kind = kind
      self.time = time
      self.tolerance = tolerance
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case device, peer
      case kind = "event"
      case time = "at_s"
      case tolerance = "within_s"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(
        device: try keys.value(.device), peer: try keys.value(.peer), try keys.value(.kind), at: try keys.value(.time))
      try keys.read(.tolerance, into: &tolerance)
    }
  }
}
