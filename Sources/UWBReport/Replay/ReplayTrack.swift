/// What a report keeps of one peer in one capture.
struct ReplayTrack: Sendable {
  struct Name: Sendable, Hashable {
    var capture: String?
    var peer: String

    var text: String { capture.map { "\($0) · \(peer)" } ?? peer }
  }

  /// A quantity that is drawn over time.
  enum Channel: Int, CaseIterable {
    case distance, raw, chip, truth, azimuth, trueAzimuth, elevation, trueElevation, snr, firstPath, chipFirstPath,
      firstPathOffset, lineOfSight, rejected

    /// In legends.
    var name: String {
      switch self {
      case .distance: "delivered"
      case .raw: "raw"
      case .chip: "chip's own"
      case .truth, .trueAzimuth, .trueElevation: "truth"
      case .azimuth: "azimuth"
      case .elevation: "elevation"
      case .snr: "first path's SNR"
      case .firstPath: "first path in the accumulator"
      case .chipFirstPath: "chip's first path"
      case .firstPathOffset: "first path minus the chip's"
      case .lineOfSight: "probability of line of sight"
      case .rejected: "rejected exchange"
      }
    }
  }

  let name: Name
  /// Whether points are kept for drawing.
  let isDrawn: Bool
  private(set) var updates = 0
  private(set) var rejected = 0
  private(set) var distance = Moments()
  private(set) var deviation = Moments()
  private(set) var snrdB = Moments()
  private(set) var lineOfSight = Moments()
  private(set) var distanceErrors = ErrorStatistics()
  private(set) var chipErrors = ErrorStatistics()
  private(set) var lastTime = 0.0
  private var channels: [MinMaxDecimator]

  init(name: Name, runs: Int) {
    self.name = name
    isDrawn = runs > 0
    channels = Channel.allCases.map { _ in MinMaxDecimator(capacity: runs) }
  }

  mutating func add(_ update: ReplayReport.Update) {
    updates += 1
    if update.time.isFinite { lastTime = max(lastTime, update.time) }
    distance.add(update.distance)
    deviation.add(update.distanceDeviation)
    snrdB.add(update.snrdB)
    lineOfSight.add(update.lineOfSightProbability)
    if let truth = update.trueDistance {
      if let distance = update.distance { distanceErrors.add(distance - truth) }
      if let chip = update.chipDistance { chipErrors.add(chip - truth) }
    }
    guard isDrawn else { return }
    let degrees = 180 / Double.pi
    let time = update.time
    record(.distance, time, update.distance, update.distanceDeviation)
    record(.raw, time, update.rawDistance)
    record(.chip, time, update.chipDistance)
    record(.truth, time, update.trueDistance)
    record(.azimuth, time, update.azimuth.map { $0 * degrees }, update.azimuthDeviation.map { $0 * degrees })
    record(.trueAzimuth, time, update.trueAzimuth.map { $0 * degrees })
    record(.elevation, time, update.elevation.map { $0 * degrees }, update.elevationDeviation.map { $0 * degrees })
    record(.trueElevation, time, update.trueElevation.map { $0 * degrees })
    record(.snr, time, update.snrdB)
    record(.firstPath, time, update.firstPathTaps)
    record(.chipFirstPath, time, update.chipFirstPathTaps)
    if let ours = update.firstPathTaps, let chips = update.chipFirstPathTaps {
      record(.firstPathOffset, time, ours - chips)
    }
    record(.lineOfSight, time, update.lineOfSightProbability)
  }

  mutating func addRejection(time: Double) {
    rejected += 1
    if isDrawn { record(.rejected, time, time) }
  }

  private mutating func record(_ channel: Channel, _ time: Double, _ value: Double?, _ deviation: Double? = nil) {
    guard let value else { return }
    channels[channel.rawValue].add(.init(time: time, value: value, deviation: deviation ?? .nan))
  }

  func isEmpty(_ channel: Channel) -> Bool { channels[channel.rawValue].isEmpty }

  func times(of channel: Channel) -> [Double] { channels[channel.rawValue].extremes.map(\.time) }

  /// Points that each kept run stands for.
  func pointsPerRun(of channel: Channel) -> Int { channels[channel.rawValue].pointsPerRun }

  /// Between the lowest and the highest point of each run, where a channel was decimated.
  func envelope(_ channel: Channel, _ ink: Ink) -> Band? {
    let decimator = channels[channel.rawValue]
    guard decimator.pointsPerRun > 1 else { return nil }
    var band = Band("\(channel.name): lowest to highest", x: [], lower: [], upper: [], ink: ink)
    let gaps = Gaps(decimator.runs.map(\.first.time))
    for (index, run) in decimator.runs.enumerated() {
      if gaps.isGap(before: index) {
        band.x.append(run.first.time)
        band.lower.append(.nan)
        band.upper.append(.nan)
      }
      band.x.append(run.first.time)
      band.lower.append(run.lowest.value)
      band.upper.append(run.highest.value)
    }
    return band
  }

  /// The channel for a timeline, with its pauses left open.
  func timeline(_ channel: Channel, _ role: TimelinePicture.Track.Role) -> TimelinePicture.Track? {
    let decimator = channels[channel.rawValue]
    // Extremes alone would make a cloud look like two.
    let points = role == .samples ? decimator.runs.map(\.first) : decimator.extremes
    guard !points.isEmpty else { return nil }
    let gaps = Gaps(points.map(\.time))
    var track = TimelinePicture.Track(name: channel.name, role: role, times: [], values: [])
    let hasDeviations = points.contains { $0.deviation.isFinite }
    for (index, point) in points.enumerated() {
      if gaps.isGap(before: index) {
        track.times.append(point.time)
        track.values.append(.nan)
        if hasDeviations { track.deviations.append(.nan) }
      }
      track.times.append(point.time)
      track.values.append(point.value)
      if hasDeviations { track.deviations.append(point.deviation) }
    }
    return track
  }
}

/// Where a track pauses: for more than a second and twenty times its usual spacing.
private struct Gaps {
  private let times: [Double]
  private let longest: Double

  init(_ times: [Double]) {
    self.times = times
    let steps = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    longest = steps.isEmpty ? .infinity : max(steps[steps.count / 2] * 20, 1)
  }

  func isGap(before index: Int) -> Bool { index > 0 && times[index] - times[index - 1] > longest }
}
