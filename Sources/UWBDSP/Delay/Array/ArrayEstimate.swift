import Numerics

/// What a fit over several antennas makes of one CIR. Made once, then filled again for each CIR: its arrays keep their
/// memory.
public struct ArrayEstimate: Sendable, Hashable {
  /// Whether there is a first path, and why not.
  public var status = DelayStatus.noFirstPath
  /// Paths by increasing delay. A delay is that at the origin of the antennas' coordinates, on the first usable antenna's
  /// tap axis; amplitude and phase deviation are those of the first usable antenna.
  public var paths: [PathEstimate] = []
  /// Complex amplitudes at the paths' peaks, in the CIR's scaled units: paths × antennas, zero for an antenna without
  /// usable samples.
  public var amplitudes: [Complex<Double>] = []
  /// Standard deviation of each amplitude's phase, rad; the same layout.
  public var phaseDeviations: [Double] = []
  /// Antennas of the CIR.
  public var antennaCount = 0
  /// |a|²/σ² of the first path on its strongest antenna, dB.
  public var snrdB: Double?
  /// Whether delays hold for the origin of the coordinates, as the first path's direction was known well enough; else for
  /// the mean of the antennas' positions.
  public var isAtOrigin = false

  /// An estimate without paths.
  public init() {}

  /// Memory for CIRs of `antennaCount` antennas.
  public init(antennaCount: Int) {
    paths.reserveCapacity(DelayEstimate.pathCapacity)
    amplitudes.reserveCapacity(DelayEstimate.pathCapacity * antennaCount)
    phaseDeviations.reserveCapacity(DelayEstimate.pathCapacity * antennaCount)
  }

  /// The first path; `nil` where there is none.
  public var firstPath: PathEstimate? { paths.first }

  /// Amplitude of a path on an antenna.
  ///
  /// - Precondition: both exist.
  public func amplitude(path: Int, antenna: Int) -> Complex<Double> { amplitudes[path * antennaCount + antenna] }

  mutating func reset(_ status: DelayStatus, antennaCount: Int) {
    self.status = status
    self.antennaCount = antennaCount
    snrdB = nil
    isAtOrigin = false
    paths.removeAll(keepingCapacity: true)
    amplitudes.removeAll(keepingCapacity: true)
    phaseDeviations.removeAll(keepingCapacity: true)
  }
}
