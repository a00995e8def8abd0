/// A replay as one HTML file: what came in, what came out, what was lost and why, and how good it was.
///
/// Add events as they come; memory stays bounded however long the capture is. Tracks are decimated to the lowest and
/// highest point of each run (`MinMaxDecimator`), errors counted in bins (`ErrorStatistics`). The first
/// `drawnTrackLimit` tracks are drawn, the first `listedTrackLimit` listed, later ones counted together.
/// The file has no script, and loads nothing.
public struct ReplayReport: Sendable {
  /// One update with whatever is known about it; times in s, lengths in m, angles in rad.
  public struct Update: Sendable, Hashable {
    /// Tells captures apart where several are replayed: each has its own time axis.
    public var capture: String?
    /// Address of the peer.
    public var peer: String
    /// s since the capture's first exchange
    public var time: Double
    /// What a session delivers.
    public var distance: Double?
    /// Standard deviation of the distance, m.
    public var distanceDeviation: Double?
    /// Of this exchange alone, without calibration.
    public var rawDistance: Double?
    /// Of this exchange alone, with what the calibration knows taken off; `nil` where there is none.
    public var calibratedDistance: Double?
    /// The chip's own.
    public var chipDistance: Double?
    /// True distance, m.
    public var trueDistance: Double?
    /// Azimuth, rad.
    public var azimuth: Double?
    /// Standard deviation of the azimuth, rad.
    public var azimuthDeviation: Double?
    /// True azimuth, rad.
    public var trueAzimuth: Double?
    /// Elevation, rad.
    public var elevation: Double?
    /// Standard deviation of the elevation, rad.
    public var elevationDeviation: Double?
    /// True elevation, rad.
    public var trueElevation: Double?
    /// dB
    public var snrdB: Double?
    /// First path of the engine, taps.
    public var firstPathTaps: Double?
    /// First path of the chip, taps.
    public var chipFirstPathTaps: Double?
    /// 0 … 1
    public var lineOfSightProbability: Double?

    /// Creates one with the given values.
    public init(
      capture: String? = nil, peer: String, time: Double, distance: Double? = nil, distanceDeviation: Double? = nil,
      rawDistance: Double? = nil, calibratedDistance: Double? = nil, chipDistance: Double? = nil,
      trueDistance: Double? = nil, azimuth: Double? = nil, azimuthDeviation: Double? = nil, trueAzimuth: Double? = nil,
      elevation: Double? = nil, elevationDeviation: Double? = nil, trueElevation: Double? = nil, snrdB: Double? = nil,
      firstPathTaps: Double? = nil, chipFirstPathTaps: Double? = nil, lineOfSightProbability: Double? = nil
    ) {
      self.capture = capture
      self.peer = peer
      self.time = time
      self.distance = distance
      self.distanceDeviation = distanceDeviation
      self.rawDistance = rawDistance
      self.calibratedDistance = calibratedDistance
      self.chipDistance = chipDistance
      self.trueDistance = trueDistance
      self.azimuth = azimuth
      self.azimuthDeviation = azimuthDeviation
      self.trueAzimuth = trueAzimuth
      self.elevation = elevation
      self.elevationDeviation = elevationDeviation
      self.trueElevation = trueElevation
      self.snrdB = snrdB
      self.firstPathTaps = firstPathTaps
      self.chipFirstPathTaps = chipFirstPathTaps
      self.lineOfSightProbability = lineOfSightProbability
    }
  }

  /// A line of the settings table: "delay estimator", "PulseFit".
  public struct Setting: Sendable, Hashable {
    /// Name of the setting.
    public var name: String
    /// Its value as text.
    public var value: String

    /// Creates one with the given values.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  static let drawnTrackLimit = 24
  static let listedTrackLimit = 200
  private static let reasonLimit = 64

  /// Title of the page.
  public var title: String
  /// How the replay was made: options, versions, files.
  public var settings: [Setting]

  let runsPerTrack: Int
  private(set) var tracks: [ReplayTrack] = []
  private(set) var unlisted = ReplayTrack(name: .init(capture: nil, peer: "all others together"), runs: 0)
  private(set) var rejections: [String: Int] = [:]
  private(set) var skippedInput: [String: Int] = [:]
  private(set) var updates = 0
  private(set) var distanceErrors = ErrorStatistics()
  private(set) var rawErrors = ErrorStatistics()
  private(set) var calibratedErrors = ErrorStatistics()
  private(set) var chipErrors = ErrorStatistics()
  /// rad
  private(set) var azimuthErrors = ErrorStatistics()
  /// rad
  private(set) var elevationErrors = ErrorStatistics()
  private(set) var normalisedErrors = NormalisedErrors()
  private var indices: [ReplayTrack.Name: Int] = [:]

  /// `runsPerTrack` bounds the points kept of each drawn track to twice that number.
  public init(title: String, settings: [Setting] = [], runsPerTrack: Int = 1024) {
    self.title = title
    self.settings = settings
    self.runsPerTrack = runsPerTrack
  }

  /// Adds an update.
  public mutating func add(_ update: Update) {
    updates += 1
    withTrack(capture: update.capture, peer: update.peer) { $0.add(update) }
    if let truth = update.trueDistance {
      if let distance = update.distance {
        distanceErrors.add(distance - truth)
        normalisedErrors.add(error: distance - truth, deviation: update.distanceDeviation ?? .nan)
      }
      if let raw = update.rawDistance { rawErrors.add(raw - truth) }
      if let calibrated = update.calibratedDistance { calibratedErrors.add(calibrated - truth) }
      if let chip = update.chipDistance { chipErrors.add(chip - truth) }
    }
    if let truth = update.trueAzimuth, let azimuth = update.azimuth {
      azimuthErrors.add((azimuth - truth).remainder(dividingBy: 2 * .pi))
    }
    if let truth = update.trueElevation, let elevation = update.elevation { elevationErrors.add(elevation - truth) }
  }

  /// An exchange that gave no update.
  public mutating func addRejection(capture: String? = nil, peer: String, time: Double, reason: String) {
    Self.count(1, of: reason, in: &rejections)
    withTrack(capture: capture, peer: peer) { $0.addRejection(time: time) }
  }

  /// Input that a reader passed over.
  public mutating func addSkippedInput(reason: String, count: Int = 1) {
    Self.count(count, of: reason, in: &skippedInput)
  }

  /// The whole file.
  public func html() -> String { ReplayReportPage(report: self).html }

  private mutating func withTrack(capture: String?, peer: String, _ change: (inout ReplayTrack) -> Void) {
    let name = ReplayTrack.Name(capture: capture, peer: peer)
    if let index = indices[name] {
      change(&tracks[index])
    } else if tracks.count < Self.listedTrackLimit {
      indices[name] = tracks.count
      var track = ReplayTrack(name: name, runs: tracks.count < Self.drawnTrackLimit ? runsPerTrack : 0)
      change(&track)
      tracks.append(track)
    } else {
      change(&unlisted)
    }
  }

  private static func count(_ count: Int, of reason: String, in counts: inout [String: Int]) {
    let key = counts[reason] != nil || counts.count < reasonLimit ? reason : "other reasons"
    counts[key] = (counts[key] ?? 0).addingReportingOverflow(count).partialValue
  }
}
