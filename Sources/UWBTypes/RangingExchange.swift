/// One ranging frame on the air: when it left, and what its receiver made of it.
public struct RangingMessage: Sendable {
  /// When the frame left, on its sender's clock, antenna delay included.
  public var transmitted: DeviceTime?
  /// What its receiver reports, on the receiver's clock.
  @inlinable public var reception: Reception? {
    get { stored?.reception }
    set { stored = newValue.map(StoredReception.init) }
  }
  @usableFromInline var stored: StoredReception?

  /// Creates one with the given values.
  @inlinable public init(transmitted: DeviceTime? = nil, reception: Reception? = nil) {
    self.transmitted = transmitted
    stored = reception.map(StoredReception.init)
  }

  /// Readers hand exchanges from one to the next: with receptions of some 350 bytes each inside, most of the time that a row of a table takes
  /// went into moving them.
  @usableFromInline final class StoredReception: Sendable {
    @usableFromInline let reception: Reception
    @inlinable init(_ reception: Reception) { self.reception = reception }
  }
}

/// What the device's own software made of an exchange, for comparison.
public struct ChipReport: Sendable, Hashable, Codable {
  /// Distance with the chip's corrections, m.
  public var distance: Double?
  /// Distance before the chip's corrections, m.
  public var rawDistance: Double?
  /// Clock offset between the two devices, parts per million.
  public var clockOffsetppm: Double?
  /// Azimuth, rad, positive to the right.
  public var azimuth: Double?
  /// Elevation, rad, positive upwards.
  public var elevation: Double?

  /// Creates one with the given values.
  public init(
    distance: Double? = nil, rawDistance: Double? = nil, clockOffsetppm: Double? = nil, azimuth: Double? = nil,
    elevation: Double? = nil
  ) {
    self.distance = distance
    self.rawDistance = rawDistance
    self.clockOffsetppm = clockOffsetppm
    self.azimuth = azimuth
    self.elevation = elevation
  }
}

/// Where the peer really was, as seen from the local device.
public struct GroundTruth: Sendable, Hashable, Codable {
  /// m
  public var distance: Double?
  /// rad, positive to the right
  public var azimuth: Double?
  /// rad, positive upwards
  public var elevation: Double?
  /// Whether nothing stood between the antennas; nil where unknown.
  public var isLineOfSight: Bool?

  /// Creates one with the given values.
  public init(
    distance: Double? = nil, azimuth: Double? = nil, elevation: Double? = nil, isLineOfSight: Bool? = nil
  ) {
    self.distance = distance
    self.azimuth = azimuth
    self.elevation = elevation
    self.isLineOfSight = isLineOfSight
  }
}

/// One ranging exchange between the local device and a peer: what a capture holds and what the engine turns into a
/// measurement.
///
/// Double-sided two-way ranging has three messages: the peer's poll, the local device's response, the peer's final
/// (or the same with the roles swapped: `initiator`). Single-sided ranging has no final. With four messages the responder
/// sends a poll of its own after its response (`secondPoll`), which the final answers. The peer's timestamps have come over
/// the air inside the frames.
public struct RangingExchange: Sendable {
  /// Which side sent the poll.
  public enum Initiator: Sendable, Hashable {
    /// The device that sends the first frame: the local one or its peer.
    case local, peer
  }

  /// Counts the exchanges of a capture from 0.
  public var index: Int
  /// Seconds since the capture's first exchange, on the local device's clock.
  public var time: Double
  /// Address of the other device.
  public var peer: DeviceAddress
  /// Address of the local device; nil where the capture does not name it.
  public var local: DeviceAddress?
  /// The device that sends the poll.
  public var initiator: Initiator
  /// The first frame, from the initiator.
  public var poll: RangingMessage
  /// The second frame, from the responder.
  public var response: RangingMessage?
  /// The responder's own poll, between response and final: double-sided ranging with four messages.
  public var secondPoll: RangingMessage?
  /// The third frame, from the initiator; nil in single-sided ranging.
  public var final: RangingMessage?
  /// Bits of the devices' counters that the timestamps kept: 40, or 32 where a program printed 32. Intervals inside the
  /// exchange are right either way; from one exchange to the next whole wraps of 67 ms are lost with 32.
  public var counterBits: Int
  /// Results of the chip itself; nil where the capture has none.
  public var chipReport: ChipReport?
  /// Phase differences of arrival that the chip hands over in place of CIRs, rad, whole turns not told: as the device
  /// numbers its antenna pairs, or antenna 1, 2, … against antenna 0 where an array is given.
  public var phaseDifferences: [Double]?
  /// What a chip that ranges by itself has measured; the engine hands it on, and adds what the impulse responses say.
  public var ready: RadioMeasurement?
  /// Whether such a chip says that the round failed.
  public var hasFailed = false
  /// What is known to be true; nil where the capture has none.
  public var truth: GroundTruth?
  /// Where the peer stands, m, in the room's axes; `nil` where the capture doesn't say.
  public var peerPosition: SIMD3<Double>?

  /// Creates one with the given values.
  public init(
    index: Int, time: Double, peer: DeviceAddress, local: DeviceAddress? = nil, initiator: Initiator = .peer,
    poll: RangingMessage, response: RangingMessage? = nil, secondPoll: RangingMessage? = nil,
    final: RangingMessage? = nil, counterBits: Int = 40, chipReport: ChipReport? = nil,
    phaseDifferences: [Double]? = nil, ready: RadioMeasurement? = nil, truth: GroundTruth? = nil,
    peerPosition: SIMD3<Double>? = nil
  ) {
    self.index = index
    self.time = time
    self.peer = peer
    self.local = local
    self.initiator = initiator
    self.poll = poll
    self.response = response
    self.secondPoll = secondPoll
    self.final = final
    self.counterBits = counterBits
    self.chipReport = chipReport
    self.phaseDifferences = phaseDifferences
    self.ready = ready
    self.truth = truth
    self.peerPosition = peerPosition
  }
}

extension RangingExchange {
  /// The messages that there are, in the order in which they were sent.
  public var messages: [RangingMessage] { [poll, response, secondPoll, final].compactMap { $0 } }

  /// Whether every timestamp is there that double-sided ranging needs.
  public var hasDoubleSidedTimestamps: Bool {
    response != nil && final != nil && messages.allSatisfy { $0.transmitted != nil && $0.reception != nil }
  }

  /// What receivers report of those messages of which they hold an impulse response, in the same order.
  public var receptionsWithImpulseResponse: [Reception] {
    messages.compactMap(\.reception).filter { $0.impulseResponse != nil }
  }

  /// Mean of the received powers that the local device reports of the peer's frames, dBm; `nil` where it reports none.
  public var localReceivedPowerdBm: Double? {
    let first = initiator == .peer ? poll.reception?.receivedPowerdBm : response?.reception?.receivedPowerdBm
    let second = initiator == .peer ? final?.reception?.receivedPowerdBm : secondPoll?.reception?.receivedPowerdBm
    switch (first.flatMap { $0.isFinite ? $0 : nil }, second.flatMap { $0.isFinite ? $0 : nil }) {
    case (let one?, let other?): return (one + other) / 2
    case (let one, let other): return one ?? other
    }
  }
}
