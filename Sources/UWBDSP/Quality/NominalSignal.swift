import Numerics

/// How strong the clear first path of a kind of radio is at a site that is not known: a normal distribution over deployments, in the
/// scale in which the chip reports power, and the largest power that the chip can tell.
///
///     excess loss = min(level − 20·log₁₀ distance, saturation) − power of the first path
///
/// The densities of the excess loss with line of sight and without (`ExcessLossModel`) are averaged over the level. Near a device the
/// receiver saturates whatever the level is, so the loss is known there. Far away the level is too uncertain to say much.
///
/// Cost: 11 pairs of densities. Not for captures without the chip's report of its received power.
public struct NominalSignal: Sendable, Hashable {
  /// Mean and standard deviation over deployments of the power of a clear first path at 1 m, dBm and dB: transmit power, channel,
  /// antennas.
  public var levelAtOneMetredBm: Double
  /// Standard deviation of the level from device to device, dB.
  public var deviationdB: Double
  /// Reports above this are compressed, dBm.
  public var compressedAbovedBm: Double
  /// What a compressed report lacks, dB for each decibel above the limit.
  public var compression: Double
  /// Largest power that the chip can tell, compression undone, dBm.
  public var saturationdBm: Double

  /// Creates one with the given values.
  public init(
    levelAtOneMetredBm: Double, deviationdB: Double, compressedAbovedBm: Double, compression: Double,
    saturationdBm: Double
  ) {
    self.levelAtOneMetredBm = levelAtOneMetredBm
    self.deviationdB = deviationdB
    self.compressedAbovedBm = compressedAbovedBm
    self.compression = compression
    self.saturationdBm = saturationdBm
  }

  /// What the chip reports of a received power, dBm.
  public func report(ofdBm power: Double) -> Double {
    let told = min(power, saturationdBm)
    return told - max(told - compressedAbovedBm, 0) * compression / (1 + compression)
  }

  /// Level: −41.3 dBm/MHz over 500 MHz through free space on channel 2. Its deviation: channels, antennas, and modules that are driven
  /// beyond that. Compression at 64 MHz pulse repetition: DW1000 User Manual, section 4.7, the figure of estimated over actual levels.
  public static let dw1000 = NominalSignal(
    levelAtOneMetredBm: -58, deviationdB: 8, compressedAbovedBm: -88, compression: 1.1667, saturationdBm: -68)

  private static let stepsEachWay = 5
  /// Of the level's deviation.
  private static let step = 0.5

  /// Log-odds of line of sight; allocates nothing.
  ///
  /// - Parameter shape: log-odds by the shape of the CIRs.
  /// - Returns: `nil` where the chip reported no power.
  public func logOdds(
    shape: Double, _ features: QualityFeatures, under model: ExcessLossModel = .simulated
  ) -> Double? {
    guard let reported = features.reportedPower else { return nil }
    let lacking = max(reported.total - compressedAbovedBm, 0) * compression
    let total = min(reported.total + lacking, saturationdBm)
    let firstPath = total + reported.firstPath - reported.total
    let bounds = (ExcessLossModel.knots[0], ExcessLossModel.knots[ExcessLossModel.knots.count - 1])
    var (clear, obstructed) = (0.0, 0.0)
    for index in -Self.stepsEachWay...Self.stepsEachWay {
      let offset = Self.step * Double(index)
      let free = levelAtOneMetredBm + deviationdB * offset - features.distancedB
      let loss = min(max(min(free, saturationdBm) - firstPath, bounds.0), bounds.1)
      let densities = model.logDensities(loss)
      let weight = Double.exp(-0.5 * offset * offset)
      clear += weight * Double.exp(densities.clear)
      obstructed += weight * Double.exp(densities.obstructed)
    }
    return model.shapeCoefficient * shape + Double.log(clear / obstructed)
  }
}

/// Powers of a reception in the scale in which the chip reports them, dBm.
public struct ReportedPower: Sendable, Hashable {
  /// Power of the whole reception, dBm.
  public var total: Double
  /// `total` times the share that the first path has of the energy, its whole pulse counted.
  public var firstPath: Double

  /// Creates one with the given values.
  public init(total: Double, firstPath: Double) {
    self.total = total
    self.firstPath = firstPath
  }
}

extension QualityFeatures {
  /// Enters `reportedPower`.
  ///
  /// - Parameters:
  ///   - total: the chip's report, dBm.
  ///   - pulseEnergydB: energy of a pulse over the power of its peak.
  public mutating func reportPower(_ total: Double, pulseEnergydB: Double) {
    guard total.isFinite else { return }
    let share = self[.firstPathPower] + pulseEnergydB - self[.energy]
    reportedPower = ReportedPower(total: total, firstPath: total + min(share, 0))
  }
}
