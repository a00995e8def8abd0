import UWBDSP

/// A tracker on simulated walks, one kind of trouble at a time: what it delivers beside what was measured.
public struct TrackerTrials: Sendable {
  /// A kind of walks.
  public struct Case: Sendable {
    /// Name of the case.
    public var name: String
    /// The walk that the case simulates.
    public var walk: RangingWalk
  }

  /// Errors farther than this are counted, m; a walk is stuck where they last longer than this, s.
  public static let far = (distance: 0.5, time: 1.0)

  /// The cases that settings are chosen on: bursts of outliers, noise that is not the stated one, lost line of sight, gaps.
  public static let cases: [Case] = {
    let quiet: RangingWalk = {
      var walk = RangingWalk()
      walk.outliers = 0
      walk.clearTime = .infinity
      walk.gapInterval = 1e9
      return walk
    }()
    var cases: [Case] = []
    func add(_ name: String, _ base: RangingWalk, _ change: (inout RangingWalk) -> Void) {
      var walk = base
      change(&walk)
      cases.append(Case(name: name, walk: walk))
    }
    for rate in [10.0, 50] {
      add("bursts of 2–8 outliers, \(Int(rate)) Hz", quiet) {
        $0.rate = rate
        $0.burstInterval = 5
        $0.deviation = 0.03
        $0.statedDeviation = 0.026
      }
    }
    for deviation in [0.015, 0.03, 0.06, 0.1] {
      for speed in [0, 1.5] {
        add("\(speed == 0 ? "still" : "walking"), \(deviation) m of noise", quiet) {
          $0.deviation = deviation
          $0.statedDeviation = 0.026
          $0.speed = speed
        }
      }
    }
    // The milder walks have fewer outliers, no gaps, and lose line of sight as often as `PeerTracker.Configuration` takes it to.
    let mild: RangingWalk = {
      var walk = RangingWalk()
      walk.outliers = 0.0275
      walk.gapInterval = 1e9
      walk.clearTime = 60
      return walk
    }()
    for (name, base) in [("lost line of sight", RangingWalk()), ("line of sight lost once a minute", mild)] {
      add("\(name), no classifier", base) { _ in }
      add("\(name), 88 % right", base) { $0.classifierAccuracy = 0.88 }
      add("\(name), 88 % right, 3 s at a time", base) {
        $0.classifierAccuracy = 0.88
        $0.classifierSpell = 3
      }
    }
    add("gaps", quiet) {
      $0.gapInterval = 5
      $0.outliers = 0.05
    }
    return cases
  }()

  /// Errors of what is measured, m.
  public private(set) var raw: [Double] = []
  /// Errors of what is delivered, m.
  public private(set) var delivered: [Double] = []
  /// Walks in which `far` errors last.
  public private(set) var stuckCount = 0
  private var squares = 0.0

  /// - Complexity: linear in the measurements of all walks.
  public init(_ walk: RangingWalk, count: Int, seed: UInt64) {
    for index in 0..<count { run(walk.steps(seed: seed, walk: index)) }
  }

  private mutating func run(_ steps: [RangingWalk.Step]) {
    var tracker = PeerTracker()
    var since: Double?
    var isStuck = false
    for step in steps {
      let output = tracker.update(step.measurement).measurement
      guard let measured = step.measurement.distance, let distance = output.distance,
        let deviation = output.distanceDeviation
      else { continue }
      let error = distance - step.distance
      raw.append(measured - step.distance)
      delivered.append(error)
      squares += error * error / (deviation * deviation)
      since = abs(error) > Self.far.distance ? since ?? output.time : nil
      if let since, output.time - since > Self.far.time { isStuck = true }
    }
    if isStuck { stuckCount += 1 }
  }

  /// Mean of squared errors over stated variances.
  public var normalisedVariance: Double { squares / Double(max(delivered.count, 1)) }
  /// Root mean square of the measured errors, m.
  public var rawRMS: Double { Self.rms(raw) }
  /// Root mean square of the delivered errors, m.
  public var rms: Double { Self.rms(delivered) }
  /// Errors farther than `far`, measured and delivered.
  public var farCounts: (raw: Int, delivered: Int) {
    (raw.count { abs($0) > Self.far.distance }, delivered.count { abs($0) > Self.far.distance })
  }
  /// Median of the delivered errors, m.
  public var median: Double { delivered.isEmpty ? 0 : delivered.sorted()[delivered.count / 2] }

  private static func rms(_ values: [Double]) -> Double {
    (values.reduce(0) { $0 + $1 * $1 } / Double(max(values.count, 1))).squareRoot()
  }
}
