extension RoomScenario {
  /// Where something is over time: at one place, from place to place, or round a circle.
  public struct Motion: Sendable, Hashable, Decodable {
    /// A way of moving.
    public enum Kind: Sendable, Hashable {
      /// At one place, m.
      case still(SIMD3<Double>)
      /// Each a time and a place: s, x, y, z.
      case waypoints([SIMD4<Double>])
      /// Round a circle in plan: m, m, m/s, degrees.
      case circle(centre: SIMD3<Double>, radius: Double, speed: Double, startdeg: Double)
    }

    /// The way of moving.
    public var kind: Kind

    /// Creates one with the given values.
    public init(_ kind: Kind) {
      self.kind = kind
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case position = "position_m"
      case waypoints = "waypoints_s_m"
      case centre = "centre_m"
      case radius = "radius_m"
      case speed = "speed_m_s"
      case start = "start_deg"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      if let position = try keys.decodeIfPresent(SIMD3<Double>.self, forKey: .position) {
        kind = .still(position)
      } else if let waypoints = try keys.decodeIfPresent([SIMD4<Double>].self, forKey: .waypoints) {
        kind = .waypoints(waypoints)
      } else {
        var start = 0.0
        try keys.read(.start, into: &start)
        kind = .circle(
          centre: try keys.value(.centre), radius: try keys.value(.radius), speed: try keys.value(.speed),
          startdeg: start)
      }
    }
  }

  /// What a device's back points at.
  public struct Facing: Sendable, Hashable, Decodable {
    /// A way of facing.
    public enum Kind: Sendable, Hashable {
      /// Fixed angles, degrees, with a turn in degrees a second.
      case angles(yawdeg: Double, pitchdeg: Double, turndeg: Double)
      /// Another device or an accessory.
      case peer(String)
      /// A place, m.
      case point(SIMD3<Double>)
      /// By the clock, each a time and two angles: s, yaw and pitch in degrees.
      case timed([SIMD3<Double>])
    }

    /// The way of facing.
    public var kind: Kind

    /// Creates one with the given values.
    public init(_ kind: Kind) {
      self.kind = kind
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case peer
      case point = "point_m"
      case yaw = "yaw_deg"
      case pitch = "pitch_deg"
      case turn = "turn_deg_s"
      case timed = "angles_s_deg"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      if let peer = try keys.decodeIfPresent(String.self, forKey: .peer) {
        kind = .peer(peer)
      } else if let point = try keys.decodeIfPresent(SIMD3<Double>.self, forKey: .point) {
        kind = .point(point)
      } else if let timed = try keys.decodeIfPresent([SIMD3<Double>].self, forKey: .timed) {
        kind = .timed(timed)
      } else {
        var (yaw, pitch, turn) = (0.0, 0.0, 0.0)
        try keys.read(.yaw, into: &yaw)
        try keys.read(.pitch, into: &pitch)
        try keys.read(.turn, into: &turn)
        kind = .angles(yawdeg: yaw, pitchdeg: pitch, turndeg: turn)
      }
    }
  }

  /// A radio's clock; what is absent is drawn from the seed.
  public struct Clock: Sendable, Hashable, Decodable {
    /// Rate, ppm: positive where the clock is fast.
    public var rateppm: Double?
    /// Change of the rate, ppm a second.
    public var driftppm: Double?

    /// Creates one with the given values.
    public init(rateppm: Double? = nil, driftppm: Double? = nil) {
      self.rateppm = rateppm
      self.driftppm = driftppm
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case rateppm = "rate_ppm"
      case driftppm = "drift_ppm_s"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      try keys.read(.rateppm, into: &rateppm)
      try keys.read(.driftppm, into: &driftppm)
    }
  }

  /// The antennas of a device.
  public enum Antennas: String, Sendable, Hashable, Decodable, CaseIterable {
    /// Three in an L: azimuth and elevation.
    case lShaped = "l-shaped"
    /// One: no direction, as a watch.
    case single
  }

  /// The limits of a device's host; what is absent is the host's default.
  public struct Limits: Sendable, Hashable, Decodable {
    /// Silence after which an object is removed, s.
    public var timeout: Double?
    /// Longest suspension after which a session may run again, s.
    public var suspensionLimit: Double?
    /// Inactivity after which a session ends, s.
    public var inactivityLimit: Double?
    /// Distance beyond which none is given, m.
    public var maximumDistance: Double?
    /// Half of the cone in which directions are given, degrees.
    public var fieldOfViewHalfAngledeg: Double?

    /// Defaults of the host throughout.
    public init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case timeout = "timeout_s"
      case suspensionLimit = "suspension_limit_s"
      case inactivityLimit = "inactivity_limit_s"
      case maximumDistance = "maximum_distance_m"
      case fieldOfViewHalfAngledeg = "field_of_view_half_angle_deg"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      try keys.read(.timeout, into: &timeout)
      try keys.read(.suspensionLimit, into: &suspensionLimit)
      try keys.read(.inactivityLimit, into: &inactivityLimit)
      try keys.read(.maximumDistance, into: &maximumDistance)
      try keys.read(.fieldOfViewHalfAngledeg, into: &fieldOfViewHalfAngledeg)
    }
  }

  /// A device with an app that runs sessions.
  public struct Device: Sendable, Hashable, Decodable {
    /// Name, by which events and expectations refer to it.
    public var name: String
    /// Its antennas.
    public var antennas: Antennas
    /// Where it is over time.
    public var motion: Motion
    /// What its back points at.
    public var facing: Facing
    /// Its clock.
    public var clock: Clock
    /// The device's pose is fed in, and its sessions ask for assistance.
    public var isAssisted: Bool
    /// Names of the devices and accessories that its app has a session with.
    public var sessions: [String]
    /// Whether its app runs a session again after a suspension and after a timeout.
    public var resumes: Bool
    /// The limits of its host.
    public var limits: Limits

    /// Creates one with the given values.
    public init(
      name: String, antennas: Antennas = .lShaped, motion: Motion,
      facing: Facing = Facing(.angles(yawdeg: 0, pitchdeg: 0, turndeg: 0)),
      sessions: [String] = []
    ) {
      self.name = name
      self.antennas = antennas
      self.motion = motion
      self.facing = facing
      clock = Clock()
      isAssisted = false
      self.sessions = sessions
      resumes = true
      limits = Limits()
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case name, antennas, motion, facing, clock, sessions, resumes, limits
      case isAssisted = "assistance"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(name: try keys.value(.name), motion: try keys.value(.motion))
      try keys.read(.antennas, into: &antennas)
      try keys.read(.facing, into: &facing)
      try keys.read(.sessions, into: &sessions)
      try keys.read(.clock, into: &clock)
      try keys.read(.isAssisted, into: &isAssisted)
      try keys.read(.resumes, into: &resumes)
      try keys.read(.limits, into: &limits)
    }
  }

  /// Many devices at once, each with sessions to the next ones, walking about in a box.
  public struct Crowd: Sendable, Hashable, Decodable {
    /// Number of devices.
    public var count: Int
    /// A corner of the box in which they walk, m.
    public var lower: SIMD3<Double>
    /// The opposite corner, m.
    public var upper: SIMD3<Double>
    /// m/s
    public var speed: Double
    /// Each has sessions with so many on either side of it in the order of their numbers.
    public var neighbours: Int
    /// Their antennas.
    public var antennas: Antennas

    /// Creates one with the given values.
    public init(
      count: Int, lower: SIMD3<Double>, upper: SIMD3<Double>, speed: Double = 1, neighbours: Int = 1,
      antennas: Antennas = .lShaped
    ) {
      self.count = count
      self.lower = lower
      self.upper = upper
      self.speed = speed
      self.neighbours = neighbours
      self.antennas = antennas
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case count, neighbours, antennas
      case lower = "lower_m"
      case upper = "upper_m"
      case speed = "speed_m_s"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(count: try keys.value(.count), lower: try keys.value(.lower), upper: try keys.value(.upper))
      try keys.read(.speed, into: &speed)
      try keys.read(.neighbours, into: &neighbours)
      try keys.read(.antennas, into: &antennas)
    }
  }

  /// An accessory, which ranges with one device.
  public struct Accessory: Sendable, Hashable, Decodable {
    /// How often the accessory wants to range.
    public enum UpdateRate: String, Sendable, Hashable, Decodable, CaseIterable {
      /// The app's choice.
      case automatic
      /// Seldom.
      case infrequent
      /// Often enough for a user who follows the display.
      case userInteractive = "user-interactive"
    }

    /// Name, by which events and expectations refer to it.
    public var name: String
    /// Where it is over time.
    public var motion: Motion
    /// Its clock.
    public var clock: Clock
    /// How often it wants to range.
    public var updateRate: UpdateRate
    /// Short MAC address; `nil` for one drawn from the seed.
    public var shortAddress: UInt16?

    /// Creates one with the given values.
    public init(name: String, motion: Motion, updateRate: UpdateRate = .automatic, shortAddress: UInt16? = nil) {
      self.name = name
      self.motion = motion
      clock = Clock()
      self.updateRate = updateRate
      self.shortAddress = shortAddress
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case name, motion, clock
      case updateRate = "update_rate"
      case shortAddress = "short_address"
    }

    public init(from decoder: any Decoder) throws {
      let keys = try decoder.strict(CodingKeys.self)
      self.init(name: try keys.value(.name), motion: try keys.value(.motion))
      try keys.read(.updateRate, into: &updateRate)
      try keys.read(.shortAddress, into: &shortAddress)
      try keys.read(.clock, into: &clock)
    }
  }
}
