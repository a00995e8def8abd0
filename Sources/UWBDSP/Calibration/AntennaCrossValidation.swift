import Numerics

/// How well an array's calibration carries over to snapshots that it has not seen, and whether coupling is worth its
/// unknowns: snapshots are held out by the cells of a checkerboard over direction, both ways round.
public struct AntennaCrossValidation: Sendable, Hashable {
  public let fit: AntennaFit
  /// rad: width of the checkerboard's cells
  public var cell: Double

  public init(fit: AntennaFit, cell: Double = 6 * .pi / 180) {
    self.fit = fit
    self.cell = cell
  }

  public struct Result: Sendable, Hashable {
    public var model: AntennaFit.Model
    /// Of each snapshot: direction with nothing calibrated, and with what the other half gave.
    public var before: [PhaseFit.Estimate?]
    public var after: [PhaseFit.Estimate?]
    /// Which half each snapshot lies on, 0 or 1.
    public var halves: [Int]
  }

  /// Coupling is taken only where it makes held-out errors this much smaller.
  private static let gain = 0.97

  /// `nil` where half of the snapshots are too few for a fit.
  public func callAsFunction(_ snapshots: [AntennaSnapshot]) -> Result? {
    let halves = halves(snapshots)
    let before = snapshots.map { Self.direction($0, PhaseFit(array: fit.array), nil) }
    var best: (result: Result, error: Double)?
    for model in AntennaFit.Model.allCases {
      guard let after = heldOut(snapshots, halves, model) else { continue }
      let error = zip(snapshots, after).reduce(0) { $0 + Self.squaredError($1.0, $1.1) }.squareRoot()
      if best.map({ error < Self.gain * $0.error }) ?? true {
        best = (Result(model: model, before: before, after: after, halves: halves), error)
      }
    }
    return best?.result
  }

  private func halves(_ snapshots: [AntennaSnapshot]) -> [Int] {
    func column(_ angle: Double) -> Int { Int(angle / cell, rounded: .down, within: -1_000_000...1_000_000) }
    let cells = snapshots.map { abs(column($0.azimuth) + column($0.elevation)) % 2 }
    let ones = cells.reduce(0, +)
    // All in one cell, or nearly: by turns.
    guard 4 * min(ones, snapshots.count - ones) >= snapshots.count else { return snapshots.indices.map { $0 % 2 } }
    return cells
  }

  private func heldOut(
    _ snapshots: [AntennaSnapshot], _ halves: [Int], _ model: AntennaFit.Model
  ) -> [PhaseFit.Estimate?]? {
    var results = [PhaseFit.Estimate?](repeating: nil, count: snapshots.count)
    for half in 0...1 {
      let kept = snapshots.indices.filter { halves[$0] != half }.map { snapshots[$0] }
      guard let fitted = fit(kept, model: model) else { return nil }
      let array = AntennaArray(positions: fitted.calibration.positions, carrier: fit.array.carrier)
      let method = PhaseFit(array: array)
      for index in snapshots.indices where halves[index] == half {
        results[index] = Self.direction(snapshots[index], method, fitted.calibration)
      }
    }
    return results
  }

  private static func direction(
    _ snapshot: AntennaSnapshot, _ method: PhaseFit, _ calibration: AntennaCalibration?
  ) -> PhaseFit.Estimate? {
    var amplitudes = snapshot.amplitudes
    calibration?.correct(&amplitudes)
    // Every antenna alike: the snapshots' own deviations don't matter to what is compared here.
    return method.estimate(
      amplitudes: amplitudes, deviations: Array(repeating: PhaseDirection.assumedDeviation, count: amplitudes.count))
  }

  /// An answer that is missing counts as a right angle off.
  private static func squaredError(_ snapshot: AntennaSnapshot, _ estimate: PhaseFit.Estimate?) -> Double {
    guard let estimate else { return .pi * .pi / 4 }
    let x = estimate.azimuth.map { $0 - snapshot.azimuth } ?? 0
    let y = estimate.elevation.map { $0 - snapshot.elevation } ?? 0
    return x * x + y * y
  }
}
