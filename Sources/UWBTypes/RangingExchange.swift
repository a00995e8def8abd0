/// One ranging frame on the air: when it left, and what its receiver made of it.
public struct RangingMessage: Sendable {
  /// When the frame left, on its sender's clock, antenna delay included.
  public var transmitted: DeviceTime?
  /// What its receiver reports, on the receiver's clock.
  @inlinable public var reception: Reception? {
    get { stored?.reception }
    set { stored = if let newValue { StoredReception(newValue) } else { nil } }
  }
  @usableFromInline var stored: StoredReception?

  /// Creates one with the given values.
  @inlinable public init(transmitted: DeviceTime? = nil, reception: consuming Reception? = nil) {
    self.transmitted = transmitted
    if let reception = consume reception { stored = StoredReception(consume reception) }
  }

  /// A message that was received.
  @inlinable package init(transmitted: DeviceTime?, received reception: consuming Reception) {
    self.transmitted = transmitted
    stored = StoredReception(consume reception)
  }

  /// What `body` makes of the reception, which is lent to it: a copy takes longer than most looks; `nil` where there is none.
  @inlinable package func withReception<Result>(_ body: (Reception) -> Result) -> Result? {
    guard let stored else { return nil }
    return body(stored.reception)
  }

  /// Changes the reception where it lies, or makes one at time 0: a reader that fills an exchange row by row makes none anew.
  @inlinable package mutating func receive(_ body: (inout Reception) -> Void) {
    if !isKnownUniquelyReferenced(&stored) {
      stored = StoredReception(stored?.reception ?? Reception(time: DeviceTime(ticks: 0)))
    }
    if let stored { body(&stored.reception) }
  }

  /// Takes another message's reception.
  package mutating func takeReception(of other: RangingMessage) { stored = other.stored }

  /// Whether it is known when the frame left, and when it came.
  fileprivate var isTimed: Bool { transmitted != nil && stored != nil }

  /// Most messages of short exchanges have none, and one takes some 350 bytes.
  ///
  /// Unchecked because of the variable alone: it changes only where the reference to it is unique.
  @usableFromInline final class StoredReception: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var reception: Reception
    @inlinable init(_ reception: consuming Reception) { self.reception = consume reception }
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

  @usableFromInline struct Fields: Sendable {
    @usableFromInline var index: Int
    @usableFromInline var time: Double
    @usableFromInline var peer: DeviceAddress
    @usableFromInline var local: DeviceAddress?
    @usableFromInline var initiator: Initiator
    @usableFromInline var poll: RangingMessage
    @usableFromInline var response: RangingMessage?
    @usableFromInline var secondPoll: RangingMessage?
    @usableFromInline var final: RangingMessage?
    @usableFromInline var counterBits: Int
    @usableFromInline var chipReport: ChipReport?
    @usableFromInline var phaseDifferences: [Double]?
    @usableFromInline var ready: RadioMeasurement?
    @usableFromInline var hasFailed: Bool
    @usableFromInline var truth: GroundTruth?
    @usableFromInline var peerPosition: PackedVector?
  }

  /// Copied before it is changed, unless it has one owner. Readers, threads and outputs hand exchanges on; moving every field at each step is
  /// slow.
  ///
  /// Unchecked because of the variable alone: it changes only where the reference to it is unique.
  @usableFromInline final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline var fields: Fields
    @usableFromInline init(_ fields: Fields) { self.fields = fields }
  }

  @usableFromInline var storage: Storage

  /// The fields, to be changed.
  @usableFromInline var owned: Fields {
    get { storage.fields }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.fields) }
      yield &storage.fields
    }
  }

  /// Counts the exchanges of a capture from 0.
  @inlinable public var index: Int {
    get { storage.fields.index }
    _modify { yield &owned.index }
  }
  /// Seconds since the capture's first exchange, on the local device's clock.
  @inlinable public var time: Double {
    get { storage.fields.time }
    _modify { yield &owned.time }
  }
  /// Address of the other device.
  @inlinable public var peer: DeviceAddress {
    get { storage.fields.peer }
    _modify { yield &owned.peer }
  }
  /// Address of the local device; nil where the capture does not name it.
  @inlinable public var local: DeviceAddress? {
    get { storage.fields.local }
    _modify { yield &owned.local }
  }
  /// The device that sends the poll.
  @inlinable public var initiator: Initiator {
    get { storage.fields.initiator }
    _modify { yield &owned.initiator }
  }
  /// The first frame, from the initiator.
  @inlinable public var poll: RangingMessage {
    get { storage.fields.poll }
    _modify { yield &owned.poll }
  }
  /// The second frame, from the responder.
  @inlinable public var response: RangingMessage? {
    get { storage.fields.response }
    _modify { yield &owned.response }
  }
  /// The responder's own poll, between response and final: double-sided ranging with four messages.
  @inlinable public var secondPoll: RangingMessage? {
    get { storage.fields.secondPoll }
    _modify { yield &owned.secondPoll }
  }
  /// The third frame, from the initiator; nil in single-sided ranging.
  @inlinable public var final: RangingMessage? {
    get { storage.fields.final }
    _modify { yield &owned.final }
  }
  /// Bits of the devices' counters that the timestamps kept: 40, or 32 where a program printed 32. Intervals inside the
  /// exchange are right either way; from one exchange to the next whole wraps of 67 ms are lost with 32.
  @inlinable public var counterBits: Int {
    get { storage.fields.counterBits }
    _modify { yield &owned.counterBits }
  }
  /// Results of the chip itself; nil where the capture has none.
  @inlinable public var chipReport: ChipReport? {
    get { storage.fields.chipReport }
    _modify { yield &owned.chipReport }
  }
  /// Phase differences of arrival that the chip hands over in place of CIRs, rad, whole turns not told: as the device
  /// numbers its antenna pairs, or antenna 1, 2, … against antenna 0 where an array is given.
  @inlinable public var phaseDifferences: [Double]? {
    get { storage.fields.phaseDifferences }
    _modify { yield &owned.phaseDifferences }
  }
  /// What a chip that ranges by itself has measured; the engine hands it on, and adds what the impulse responses say.
  @inlinable public var ready: RadioMeasurement? {
    get { storage.fields.ready }
    _modify { yield &owned.ready }
  }
  /// Whether such a chip says that the round failed.
  @inlinable public var hasFailed: Bool {
    get { storage.fields.hasFailed }
    _modify { yield &owned.hasFailed }
  }
  /// What is known to be true; nil where the capture has none.
  @inlinable public var truth: GroundTruth? {
    get { storage.fields.truth }
    _modify { yield &owned.truth }
  }
  /// Where the peer stands, m, in the room's axes; `nil` where the capture doesn't say.
  @inlinable public var peerPosition: SIMD3<Double>? {
    get { storage.fields.peerPosition?.vector }
    set { owned.peerPosition = newValue.map(PackedVector.init) }
  }

  /// Creates one with the given values.
  public init(
    index: Int, time: Double, peer: DeviceAddress, local: DeviceAddress? = nil, initiator: Initiator = .peer,
    poll: RangingMessage, response: RangingMessage? = nil, secondPoll: RangingMessage? = nil,
    final: RangingMessage? = nil, counterBits: Int = 40, chipReport: ChipReport? = nil,
    phaseDifferences: [Double]? = nil, ready: RadioMeasurement? = nil, truth: GroundTruth? = nil,
    peerPosition: SIMD3<Double>? = nil
  ) {
    storage = Storage(
      Fields(
        index: index, time: time, peer: peer, local: local, initiator: initiator, poll: poll, response: response,
        secondPoll: secondPoll, final: final, counterBits: counterBits, chipReport: chipReport,
        phaseDifferences: phaseDifferences, ready: ready, hasFailed: false, truth: truth,
        peerPosition: peerPosition.map(PackedVector.init)))
  }
}

extension RangingExchange {
  /// The messages that there are, in the order in which they were sent.
  public var messages: [RangingMessage] { [poll, response, secondPoll, final].compactMap { $0 } }

  /// Whether every timestamp is there that double-sided ranging needs.
  public var hasDoubleSidedTimestamps: Bool {
    guard let response, let final else { return false }
    return poll.isTimed && response.isTimed && final.isTimed && secondPoll?.isTimed ?? true
  }

  /// What receivers report of those messages of which they hold an impulse response, in the same order.
  public var receptionsWithImpulseResponse: [Reception] {
    var receptions: [Reception] = []
    func take(_ message: RangingMessage?) {
      message?.withReception { if $0.impulseResponse != nil { receptions.append($0) } }
    }
    take(poll)
    take(response)
    take(secondPoll)
    take(final)
    return receptions
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
