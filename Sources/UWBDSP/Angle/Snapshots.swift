import Numerics

/// Antennas × snapshots: the complex amplitudes that an array saw, what every angle estimator starts from.
///
/// Real and imaginary parts lie apart, each antenna's snapshots in a row, so that covariances run over contiguous memory.
/// One snapshot is one packet's amplitudes at the first path; research arrays have many.
public struct Snapshots: Sendable, Hashable {
  /// Number of antennas M.
  public let antennaCount: Int
  /// Number of snapshots N.
  public let snapshotCount: Int
  /// Real parts, antenna by antenna.
  public private(set) var real: [Double]
  /// Imaginary parts, antenna by antenna.
  public private(set) var imaginary: [Double]
  /// Variance of the complex noise of every element, where it is known (of a single snapshot from the taps before the
  /// first path); estimated from the residual where `nil`. With as many unknowns as numbers there is no residual.
  public var noiseVariance: Double?

  /// All zero. - Precondition: at least one antenna and one snapshot.
  public init(antennaCount: Int, snapshotCount: Int, noiseVariance: Double? = nil) {
    precondition(
      antennaCount >= 1 && snapshotCount >= 1, "\(antennaCount) antennas × \(snapshotCount) snapshots are none")
    self.antennaCount = antennaCount
    self.snapshotCount = snapshotCount
    self.noiseVariance = noiseVariance
    real = [Double](repeating: 0, count: antennaCount * snapshotCount)
    imaginary = real
  }

  /// One snapshot: an amplitude for each antenna.
  public init(_ amplitudes: [Complex<Double>], noiseVariance: Double? = nil) {
    self.init(antennaCount: amplitudes.count, snapshotCount: 1, noiseVariance: noiseVariance)
    for (index, value) in amplitudes.enumerated() { self[index, 0] = value }
  }

  /// The number of antenna `antenna` in snapshot `snapshot`.
  public subscript(antenna: Int, snapshot: Int) -> Complex<Double> {
    get {
      let index = place(antenna, snapshot)
      return Complex(real[index], imaginary[index])
    }
    set {
      let index = place(antenna, snapshot)
      real[index] = newValue.rawStorage.x
      imaginary[index] = newValue.rawStorage.y
    }
  }

  private func place(_ antenna: Int, _ snapshot: Int) -> Int {
    precondition(
      antenna >= 0 && antenna < antennaCount && snapshot >= 0 && snapshot < snapshotCount,
      "[\(antenna), \(snapshot)] in \(antennaCount) antennas × \(snapshotCount) snapshots")
    return antenna * snapshotCount + snapshot
  }
}
