import UWBDSP
import UWBPlatform

/// A peer that walks about a room, as measurements see it: irregular times, gaps, outliers, lost line of sight, a device that
/// turns. For trackers, which need no CIRs.
///
/// The peer walks at constant speed from one uniformly drawn point of the room to the next, turning on the spot: velocities
/// jump at corners, which no tracker's model foresees. The device stands at the origin and turns about the vertical.
/// Line of sight comes and goes with exponential durations; while it is lost a bias, exponential with mean `nonLineOfSightBias`, is added
/// and held. Outliers are uniform between 1 and 10 m off, three in four of them too long; those of a
/// burst agree. Walk i draws from stream i of the seed.
public struct RangingWalk: Sendable, Hashable {
  /// m/s
  public var speed = 1.5
  /// Measurements a second; each comes up to a fifth of the spacing early or late.
  public var rate = 10.0
  /// s
  public var duration = 60.0
  /// m, of a distance; and rad, of an angle. Stated with each measurement, unless `statedDeviation` is.
  public var deviation = 0.05
  /// Standard deviation of an angle, rad.
  public var angularDeviation = 0.05
  /// m, what is stated of a distance in place of its deviation.
  public var statedDeviation: Double?
  /// Mean time between bursts, s: outliers in a row that agree with each other to the noise; how many, and how far off (m), either way.
  public var burstInterval = Double.infinity
  /// Outliers in a burst.
  public var burstLength = 2...8
  /// Error of a burst's outliers, m, of either sign.
  public var burstSize = 0.3...10.0
  /// Part of the distances that are far off.
  public var outliers = 0.05
  /// Mean durations, s; a `clearTime` of infinity never loses line of sight.
  public var clearTime = 10.0
  /// Mean time for which line of sight is lost, s.
  public var obstructedTime = 3.0
  /// m, mean
  public var nonLineOfSightBias = 0.5
  /// Part of the classifier's verdicts that are right; `nil` for no classifier. It errs, or not, for so long at a time, s.
  public var classifierAccuracy: Double?
  /// Time for which the classifier stays right or wrong, s.
  public var classifierSpell = 0.0
  /// What it states instead of its accuracy, where it is surer than it should be.
  public var statedAccuracy: Double?
  /// Mean time between gaps, s, and their length.
  public var gapInterval = 30.0
  /// Length of a gap, s.
  public var gapLength = 1.0...3.0
  /// rad/s, of the device's turning, about which it swings
  public var turning = 0.5
  /// Corners of the floor that the peer walks on, m, at the device's height.
  public var lower = SIMD3(-5.0, 0, -9.0)
  /// The opposite corner, m.
  public var upper = SIMD3(5.0, 0, -1.0)

  /// Creates one with default values.
  public init() {}

  /// One measurement with what is true of it.
  public struct Step: Sendable {
    /// What is measured.
    public var measurement: RangingMeasurement
    /// True pose of the local device.
    public var pose: DevicePose
    /// True distance, m.
    public var distance: Double
    /// rad, in the device's axes
    public var azimuth: Double
    /// Whether line of sight is lost.
    public var isObstructed: Bool
    /// Whether the distance is an outlier.
    public var isOutlier: Bool
  }

  /// The measurements of one walk; `walk` numbers walks of the same seed.
  public func steps(seed: UInt64, walk: Int) -> [Step] {
    var random = SeededGenerator(seed: seed, stream: UInt64(bitPattern: Int64(walk)))
    var from = place(&random)
    var to = place(&random)
    var walked = 0.0
    var heading = random.uniform(in: -0.5...0.5)
    var steps: [Step] = []
    var time = 0.0
    var isClear = true
    var change = random.exponential(mean: clearTime.isFinite ? clearTime : 1e9)
    var bias = 0.0
    var nextGap = random.exponential(mean: gapInterval)
    var nominal = 0.0
    // Draws of its own, so that walks without bursts and spells are what they were.
    var extra = SeededGenerator(seed: seed &+ 1, stream: UInt64(bitPattern: Int64(walk)))
    var events = Events(self, &extra)
    while nominal < duration {
      let previous = time
      time = nominal + random.uniform(in: -0.2...0.2) / rate
      if steps.isEmpty { time = max(0, time) }
      nominal += 1 / rate
      if time > nextGap {
        nominal += random.uniform(in: gapLength)
        nextGap = nominal + random.exponential(mean: gapInterval)
      }
      walked += speed * (time - previous)
      while speed > 0, walked > (to - from).length {
        walked -= (to - from).length
        from = to
        to = place(&random)
      }
      while time > change {
        isClear.toggle()
        change += random.exponential(mean: isClear ? clearTime : obstructedTime)
        bias = isClear ? 0 : random.exponential(mean: nonLineOfSightBias)
      }
      heading += turning * (time - previous) * (sin(0.7 * time) + 0.3)
      let position = from + (to - from) * (walked / (to - from).length)
      steps.append(
        step(steps.count, time, position, heading, isClear ? nil : bias, events.next(time, self, &extra), &random))
    }
    return steps
  }

  /// Bursts of outliers, and spells in which a classifier is right or wrong.
  private struct Events {
    private var nextBurst: Double
    private var burst = (left: 0, size: 0.0)
    private var spell: (end: Double, isRight: Bool)?

    init(_ walk: RangingWalk, _ random: inout SeededGenerator) {
      nextBurst = walk.burstInterval.isFinite ? random.exponential(mean: walk.burstInterval) : .infinity
    }

    /// How far off the burst under way is, m, if any, and whether the classifier is in a spell of errors; `nil` where it has none.
    mutating func next(
      _ time: Double, _ walk: RangingWalk, _ random: inout SeededGenerator
    ) -> (burst: Double?, isRight: Bool?) {
      if burst.left == 0, time > nextBurst {
        let size = random.uniform(in: walk.burstSize) * (random.uniform() < 0.5 ? 1 : -1)
        burst = (
          Int(random.uniform(in: Double(walk.burstLength.lowerBound)...Double(walk.burstLength.upperBound) + 1)), size
        )
        nextBurst = time + Double(burst.left) / walk.rate + random.exponential(mean: walk.burstInterval)
      }
      let isOff = burst.left > 0
      burst.left = max(0, burst.left - 1)
      if let accuracy = walk.classifierAccuracy, walk.classifierSpell > 0, time >= spell?.end ?? -1 {
        spell = (time + walk.classifierSpell, random.uniform() < accuracy)
      }
      return (isOff ? burst.size : nil, spell?.isRight)
    }
  }

  private func place(_ random: inout SeededGenerator) -> SIMD3<Double> {
    SIMD3(
      random.uniform(in: lower.x...upper.x), random.uniform(in: lower.y...upper.y),
      random.uniform(in: lower.z...upper.z))
  }

  private func step(
    _ index: Int, _ time: Double, _ position: SIMD3<Double>, _ heading: Double, _ bias: Double?,
    _ event: (burst: Double?, isRight: Bool?), _ random: inout SeededGenerator
  ) -> Step {
    let pose = DevicePose(position: .zero, yaw: heading)
    let distance = position.length
    let azimuth = pose.toDevice(position / distance).azimuth
    var measured = distance + deviation * random.normal() + (bias ?? 0)
    var isOutlier = random.uniform() < outliers
    if let burst = event.burst {
      measured += burst
      isOutlier = true
    } else if isOutlier {
      measured += random.uniform(in: 1...10) * (random.uniform() < 0.75 ? 1 : -1)
    }
    var probability: Double?
    if let classifierAccuracy {
      // A classifier that states its accuracy as its probability.
      let drawn = random.uniform() < classifierAccuracy
      let stated = statedAccuracy ?? classifierAccuracy
      probability = (bias == nil) == (event.isRight ?? drawn) ? stated : 1 - stated
    }
    let angle = azimuth + angularDeviation * random.normal()
    let measurement = RangingMeasurement(
      exchange: index, time: time, peer: DeviceAddress(rawValue: 1), status: .ok, distance: measured,
      distanceDeviation: statedDeviation ?? deviation, direction: Direction.unitVector(azimuth: angle, elevation: 0),
      azimuth: angle,
      azimuthDeviation: angularDeviation, lineOfSightProbability: probability)
    return Step(
      measurement: measurement, pose: pose,
      distance: distance, azimuth: azimuth, isObstructed: bias != nil, isOutlier: isOutlier)
  }
}
