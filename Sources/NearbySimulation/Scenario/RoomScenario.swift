/// A room, who is in it, how they move, and what happens: what `SimulatedRoom` plays.
///
/// Decodes from YAML, JSON or any other format that a `Decoder` reads; `Documentation/reference/Scenarios.md` has every key. Lengths
/// are in m, times in s; keys carry their unit. The room's axes are +x right, +y up, and −z ahead.
public struct RoomScenario: Sendable, Hashable, Decodable {
  /// Name of the scenario.
  public var name: String
  /// What happens in it, in a sentence.
  public var summary: String
  /// s
  public var duration: Double
  /// Seed of all random draws.
  public var seed: UInt64
  /// Exchanges a second that each end of a pair gets.
  public var rate: Double
  /// The room's outer walls; `nil` for free space.
  public var box: Box?
  /// Walls inside the room.
  public var walls: [Wall]
  /// The radios' link budget.
  public var radio: Radio
  /// Devices with a part in the script.
  public var devices: [Device]
  /// Further devices that walk about; `nil` for none.
  public var crowd: Crowd?
  /// Accessories.
  public var accessories: [Accessory]
  /// What happens, by time.
  public var events: [Event]
  /// What the sessions are expected to report.
  public var expectations: [Expectation]

  /// An empty room without walls, devices or events; add what it needs.
  public init(name: String, duration: Double, seed: UInt64 = 1, rate: Double = 10) {
    self.name = name
    summary = ""
    self.duration = duration
    self.seed = seed
    self.rate = rate
    walls = []
    radio = Radio()
    devices = []
    accessories = []
    events = []
    expectations = []
  }

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case name, summary, seed, walls, radio, devices, crowd, accessories, events
    case duration = "duration_s"
    case rate = "rate_hz"
    case box = "room"
    case expectations = "expect"
  }

  public init(from decoder: any Decoder) throws {
    let keys = try decoder.strict(CodingKeys.self)
    self.init(name: try keys.value(.name), duration: try keys.value(.duration))
    try keys.read(.summary, into: &summary)
    try keys.read(.seed, into: &seed)
    try keys.read(.rate, into: &rate)
    try keys.read(.box, into: &box)
    try keys.read(.walls, into: &walls)
    try keys.read(.radio, into: &radio)
    try keys.read(.devices, into: &devices)
    try keys.read(.crowd, into: &crowd)
    try keys.read(.accessories, into: &accessories)
    try keys.read(.events, into: &events)
    try keys.read(.expectations, into: &expectations)
  }

  /// An empty box whose inner faces mirror.
  public struct Box: Sendable, Hashable, Decodable {
    /// A corner, m.
    public var lower: SIMD3<Double>
    /// The opposite corner, m.
    public var upper: SIMD3<Double>
    /// Amplitude reflection coefficients.
    public var sides: Double
    /// Amplitude reflection coefficient of the floor.
    public var floor: Double
    /// Amplitude reflection coefficient of the ceiling.
    public var ceiling: Double

    /// Creates one with the given values.
    public init(
      lower: SIMD3<Double>, upper: SIMD3<Double>, sides: Double = -0.5, floor: Double = -0.4, ceiling: Double = -0.4
    ) {
      self.lower = lower
      self.upper = upper
      self.sides = sides
      self.floor = floor
      self.ceiling = ceiling
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case lower = "lower_m"
      case upper = "upper_m"
      case sides, floor, ceiling
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(lower: try keys.value(.lower), upper: try keys.value(.upper))
      try keys.read(.sides, into: &sides)
      try keys.read(.floor, into: &floor)
      try keys.read(.ceiling, into: &ceiling)
    }
  }

  /// An upright wall between two points in plan.
  public struct Wall: Sendable, Hashable, Decodable {
    /// x and z
    public var from: SIMD2<Double>
    /// The other end, x and z in m.
    public var to: SIMD2<Double>
    /// Height, m.
    public var height: Double
    /// Amplitude reflection coefficient.
    public var reflection: Double
    /// What a path through the wall loses, dB.
    public var lossdB: Double
    /// What a path through the wall gains in length, m.
    public var excess: Double

    /// Creates one with the given values.
    public init(
      from: SIMD2<Double>, to: SIMD2<Double>, height: Double = 2.7, reflection: Double = -0.4, lossdB: Double,
      excess: Double = 0
    ) {
      self.from = from
      self.to = to
      self.height = height
      self.reflection = reflection
      self.lossdB = lossdB
      self.excess = excess
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case from = "from_m"
      case to = "to_m"
      case height = "height_m"
      case reflection
      case lossdB = "loss_db"
      case excess = "excess_m"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(from: try keys.value(.from), to: try keys.value(.to), lossdB: try keys.value(.lossdB))
      try keys.read(.height, into: &height)
      try keys.read(.reflection, into: &reflection)
      try keys.read(.excess, into: &excess)
    }
  }

  /// The link budget of all radios.
  public struct Radio: Sendable, Hashable, Decodable {
    /// Power of a path at 1 m over the noise variance of a tap, dB.
    public var snrAtOneMetredB = 52.0
    /// A message whose strongest path is weaker than this over the noise of a tap is lost, dB.
    public var sensitivitydB = 8.0
    /// Chance that an exchange is lost for no reason.
    public var loss = 0.0
    /// What the body of a device with several antennas takes from what comes in on the screen's side, dB.
    public var bodyLossdB = 15.0
    /// Samples as 16-bit integers.
    public var isQuantised = true

    /// Creates one with default values.
    public init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case snrAtOneMetredB = "snr_at_1m_db"
      case sensitivitydB = "sensitivity_db"
      case loss
      case bodyLossdB = "body_loss_db"
      case isQuantised = "quantised"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      try keys.read(.snrAtOneMetredB, into: &snrAtOneMetredB)
      try keys.read(.sensitivitydB, into: &sensitivitydB)
      try keys.read(.loss, into: &loss)
      try keys.read(.bodyLossdB, into: &bodyLossdB)
      try keys.read(.isQuantised, into: &isQuantised)
    }
  }
}
