/// Gathers a replay for a page: what came in, what came out, what was lost and why, and how good it was.
///
/// Add events as they come; memory stays bounded however long the capture is. Rows are decimated (`MinMaxDecimator`), errors counted in bins
/// (`RunningErrors`), impulse responses kept at extremes (`ImpulseResponseRuns`). The first `drawnTrackLimit` tracks are drawn, the first
/// `listedTrackLimit` listed, later ones counted together.
public struct ReplayReport: Sendable {
  /// One update with whatever is known about it; times in s, lengths in m, angles in rad.
  public struct Update: Sendable, Hashable {
    /// Tells captures apart where several are replayed: each has its own time axis.
    public var capture: String?
    /// Address of the peer.
    public var peer: String
    /// Its number in the capture.
    public var exchange: Int
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
    /// Whether nothing stood between, where that is known.
    public var isLineOfSight: Bool?
    /// Azimuth, rad.
    public var azimuth: Double?
    /// Standard deviation of the azimuth, rad.
    public var azimuthDeviation: Double?
    /// The chip's own azimuth, rad.
    public var chipAzimuth: Double?
    /// True azimuth, rad.
    public var trueAzimuth: Double?
    /// Elevation, rad.
    public var elevation: Double?
    /// Standard deviation of the elevation, rad.
    public var elevationDeviation: Double?
    /// True elevation, rad.
    public var trueElevation: Double?
    /// Rate of the peer's clock over the local one less 1, parts per million.
    public var clockOffsetPPM: Double?
    /// dB
    public var snrdB: Double?
    /// First path of the engine, taps.
    public var firstPathTaps: Double?
    /// First path of the chip, taps.
    public var chipFirstPathTaps: Double?
    /// 0 … 1
    public var lineOfSightProbability: Double?

    /// Nothing known but whose it is.
    public init(capture: String? = nil, peer: String, exchange: Int = 0, time: Double) {
      self.capture = capture
      self.peer = peer
      self.exchange = exchange
      self.time = time
    }

    var key: MinMaxDecimator.Key { .init(exchange: exchange, time: time) }
  }

  static let drawnTrackLimit = 24
  static let listedTrackLimit = 200
  private static let reasonLimit = 64

  let rowsPerTrack: Int
  private(set) var tracks: [ReplayTrack] = []
  private(set) var unlisted = ReplayTrack(name: .init(capture: nil, peer: "all others together"), capacity: 0)
  private(set) var rejections: [String: Int] = [:]
  private(set) var skippedInput: [String: Int] = [:]
  private(set) var updates = 0
  private(set) var errors = ReplayErrors()
  private var indices: [ReplayTrack.Name: Int] = [:]

  /// What `Update.capture` names.
  let source: String

  /// - Parameters:
  ///   - rowsPerTrack: runs of rows that are kept of each drawn track.
  ///   - source: what `Update.capture` names, as "capture".
  public init(rowsPerTrack: Int = 2048, source: String = "capture") {
    self.rowsPerTrack = rowsPerTrack
    self.source = source
  }

  /// Adds an update.
  public mutating func add(_ update: Update) {
    updates += 1
    withTrack(capture: update.capture, peer: update.peer) { $0.add(update) }
    errors.add(update)
  }

  /// Adds what was received in an exchange of an update or a rejection.
  ///
  /// - Parameters:
  ///   - update: whose `firstPathTaps` the response is moved by. Of many exchanges those with the lowest and the highest `rawDistance` are kept, or,
  ///     without one, first path.
  ///   - tapSpacing: s
  ///   - magnitudes: of the taps in a range, NaN outside the accumulator; asked for what is kept.
  public mutating func addImpulseResponse(
    of update: Update, tapSpacing: Double, magnitudes: (Range<Int>) -> [Float]
  ) {
    guard let first = update.firstPathTaps ?? update.chipFirstPathTaps else { return }
    withTrack(capture: update.capture, peer: update.peer) { track in
      guard track.isDrawn else { return }
      track.rows.responses.add(
        update.key, value: update.rawDistance ?? first, first: first, chip: update.chipFirstPathTaps,
        spacing: tapSpacing * 1e9, magnitudes: magnitudes)
    }
  }

  /// An exchange that gave no update.
  public mutating func addRejection(
    capture: String? = nil, peer: String, exchange: Int = 0, time: Double, reason: String
  ) {
    Self.count(1, of: reason, in: &rejections)
    withTrack(capture: capture, peer: peer) {
      $0.add("rejected, \(reason)", isRejection: true, at: .init(exchange: exchange, time: time))
    }
  }

  /// What a session tells beside updates, or what is remarkable in one.
  ///
  /// - Parameter exchange: `nil` for the peer's last.
  public mutating func addEvent(
    capture: String? = nil, peer: String, exchange: Int? = nil, time: Double, name: String
  ) {
    withTrack(capture: capture, peer: peer) {
      $0.add(name, isRejection: false, at: .init(exchange: exchange ?? $0.last?.exchange ?? 0, time: time))
    }
  }

  /// Input that a reader passed over.
  public mutating func addSkippedInput(reason: String, count: Int = 1) {
    Self.count(count, of: reason, in: &skippedInput)
  }

  private mutating func withTrack(capture: String?, peer: String, _ change: (inout ReplayTrack) -> Void) {
    let name = ReplayTrack.Name(capture: capture, peer: peer)
    if let index = indices[name] {
      change(&tracks[index])
    } else if tracks.count < Self.listedTrackLimit {
      indices[name] = tracks.count
      var track = ReplayTrack(name: name, capacity: tracks.count < Self.drawnTrackLimit ? rowsPerTrack : 0)
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
