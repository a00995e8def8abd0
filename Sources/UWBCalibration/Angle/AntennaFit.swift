import Numerics
import UWBDSP
import UWBPlatform

/// Amplitudes of one path across antennas, with the direction that they came from.
public struct AntennaSnapshot: Sendable, Hashable {
  /// rad, positive to the right
  public var azimuth: Double
  /// rad, positive upwards
  public var elevation: Double
  /// Complex amplitude of each antenna at the first path.
  public var amplitudes: [Complex<Double>]

  /// Creates one with the given values.
  public init(azimuth: Double, elevation: Double, amplitudes: [Complex<Double>]) {
    self.azimuth = azimuth
    self.elevation = elevation
    self.amplitudes = amplitudes
  }
}

/// Measures an array from amplitudes at known directions: gain and phase of each antenna, the effective spacing along the
/// array's axes, and mutual coupling where it explains held-out snapshots better.
///
///     minimise over C, κ, α_t:  Σ_t ‖y_t − α_t·C·s_t(κ)‖² + λ·T·‖C − diag(g)‖²,    ‖y_t‖ = 1
///
/// by alternating least squares: α_t = (C·s_t)ᴴ·y_t/‖C·s_t‖² for fixed C, C by the normal equations for fixed α_t (B. Friedlander,
/// A. J. Weiss, "Direction finding in the presence of mutual coupling", IEEE Trans. Antennas Propag. 39, 1991, with the
/// directions known); κ, one factor for x and one for y, by a simplex round the gains' fit; with coupling, that κ or 1, whichever
/// leaves less. Only C·s matters, so C is scaled to an average
/// gain of 1 with antenna 0's phase 0. Cost: snapshots × antennas² a step.
public struct AntennaFit: Sendable, Hashable {
  /// What C may hold.
  public enum Model: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the array as it was given.
    case none
    /// A gain and phase for each antenna.
    case gains
    /// Every antenna couples into every other too.
    case coupling
  }

  /// The antennas: positions and patterns.
  public let array: AntennaArray
  /// λ: how far coupling is held back where directions say little of it.
  public var regularisation = 1e-3

  /// A fit for this array.
  public init(array: AntennaArray) {
    self.array = array
  }

  /// What a fit gave.
  public struct Result: Sendable, Hashable {
    /// The calibration.
    public var calibration: AntennaCalibration
    /// The model that was fitted.
    public var model: Model
    /// Factors of the given positions along x and y.
    public var spacing: SIMD2<Double>
    /// Gain and phase of each antenna: C's diagonal.
    public var gains: [Complex<Double>]
    /// What is left of snapshots of norm 1, rms.
    public var residual: Double
  }

  /// Fits `model`; `nil` for fewer snapshots than unknowns, or amplitudes that are zero or not finite throughout.
  public func callAsFunction(_ snapshots: [AntennaSnapshot], model: Model) -> Result? {
    let count = array.positions.count
    let usable = snapshots.compactMap { snapshot -> AntennaSnapshot? in
      let norm = snapshot.amplitudes.reduce(0) { $0 + $1.lengthSquared }.squareRoot()
      guard snapshot.amplitudes.count == count, norm.isFinite, norm > 0 else { return nil }
      var scaled = snapshot
      scaled.amplitudes = snapshot.amplitudes.map { $0 / Complex(norm) }
      return scaled
    }
    guard count >= 2, usable.count >= 2 * count else { return nil }
    if model == .none { return ideal(usable) }
    let spans = spans(usable)
    var spacing = SIMD2(1.0, 1.0)
    if spans.x || spans.y {
      // The logarithm keeps the factor positive; a prior of 5 % keeps it near 1 where directions hardly tell.
      let start = Array(repeating: 0.0, count: (spans.x ? 1 : 0) + (spans.y ? 1 : 0))
      func factors(_ point: [Double]) -> SIMD2<Double> {
        SIMD2(spans.x ? exp(point[0]) : 1, spans.y ? exp(point[point.count - 1]) : 1)
      }
      let found = NelderMead(mostCalls: 80, tolerance: 1e-9).minimum(from: start, step: 0.03) { point in
        let residual = diagonal(usable, steering(usable, factors(point))).residual
        return residual + 1e-4 * point.reduce(0) { $0 + $1 * $1 }
      }
      spacing = factors(found.point)
    }
    let (gains, residual) = diagonal(usable, steering(usable, spacing))
    var response = (0..<count * count).map { $0 / count == $0 % count ? gains[$0 / count] : .zero }
    var left = residual
    if model == .coupling {
      // Gains alone may have stretched the array to make up for coupling: the given positions stand against that.
      var best: (response: [Complex<Double>], residual: Double, spacing: SIMD2<Double>)?
      for factor in [SIMD2(1, 1), spacing] {
        let waves = steering(usable, factor)
        guard let full = coupled(usable, waves, diagonal(usable, waves).gains) else { continue }
        if best.map({ full.residual < $0.residual }) ?? true { best = (full.response, full.residual, factor) }
      }
      guard let best else { return nil }
      (response, left, spacing) = best
    }
    guard let inverse = Self.inverse(response, order: count) else { return nil }
    return Result(
      calibration: AntennaCalibration(
        positions: array.positions.map { SIMD3($0.x * spacing.x, $0.y * spacing.y, $0.z) }, correction: inverse),
      model: model, spacing: spacing, gains: (0..<count).map { response[$0 * count + $0] },
      residual: (left / Double(usable.count)).squareRoot())
  }

  /// The array as it was given, and what it leaves.
  private func ideal(_ snapshots: [AntennaSnapshot]) -> Result {
    let count = array.positions.count
    let gains = Array(repeating: Complex<Double>.one, count: count)
    let left = zip(snapshots, steering(snapshots, SIMD2(1, 1))).reduce(0) { sum, pair in
      let overlap = zip(pair.1, pair.0.amplitudes).reduce(Complex<Double>.zero) { $0 + $1.0.conjugate * $1.1 }
      return sum + max(0, 1 - overlap.lengthSquared / Double(count))
    }
    let correction = (0..<count * count).flatMap { index -> [Double] in [index / count == index % count ? 1 : 0, 0] }
    return Result(
      calibration: AntennaCalibration(positions: array.positions, correction: correction), model: .none,
      spacing: SIMD2(1, 1), gains: gains, residual: (left / Double(snapshots.count)).squareRoot())
  }

  /// Whether antennas and directions spread along x and along y, so that spacing shows.
  private func spans(_ snapshots: [AntennaSnapshot]) -> (x: Bool, y: Bool) {
    func spread(_ values: [Double]) -> Double { (values.max() ?? 0) - (values.min() ?? 0) }
    let directions = snapshots.map { Direction.unitVector(azimuth: $0.azimuth, elevation: $0.elevation) }
    let least = 0.1 * array.wavelength
    return (
      spread(array.positions.map(\.x)) > least && spread(directions.map(\.x)) > 0.3,
      spread(array.positions.map(\.y)) > least && spread(directions.map(\.y)) > 0.3
    )
  }

  private func steering(_ snapshots: [AntennaSnapshot], _ spacing: SIMD2<Double>) -> [[Complex<Double>]] {
    let wavenumber = 2 * Double.pi / array.wavelength
    let places = array.positions.map { SIMD3($0.x * spacing.x, $0.y * spacing.y, $0.z) }
    return snapshots.map { snapshot in
      let direction = Direction.unitVector(azimuth: snapshot.azimuth, elevation: snapshot.elevation)
      return places.map { place in
        let phase = wavenumber * (place * direction).sum()
        return Complex(cos(phase), sin(phase))
      }
    }
  }

  /// Gains by alternating least squares, and the residual's square.
  private func diagonal(
    _ snapshots: [AntennaSnapshot], _ waves: [[Complex<Double>]]
  ) -> (gains: [Complex<Double>], residual: Double) {
    let count = array.positions.count
    var gains = Array(repeating: Complex<Double>.one, count: count)
    var residual = 0.0
    for _ in 0..<30 {
      var above = Array(repeating: Complex<Double>.zero, count: count)
      var below = Array(repeating: 0.0, count: count)
      let before = residual
      residual = 0
      for (snapshot, wave) in zip(snapshots, waves) {
        var overlap = Complex<Double>.zero
        var power = 0.0
        for antenna in 0..<count {
          let model = gains[antenna] * wave[antenna]
          overlap += model.conjugate * snapshot.amplitudes[antenna]
          power += model.lengthSquared
        }
        let scale = overlap / Complex(power)
        for antenna in 0..<count {
          let drive = scale * wave[antenna]
          above[antenna] += drive.conjugate * snapshot.amplitudes[antenna]
          below[antenna] += drive.lengthSquared
          residual += (snapshot.amplitudes[antenna] - gains[antenna] * drive).lengthSquared
        }
      }
      gains = zip(above, below).map { $1 > 0 ? $0 / Complex($1) : .one }
      gains = Self.normalised(gains, count: count, by: gains)
      if abs(before - residual) <= 1e-12 * residual { break }
    }
    return (gains, residual)
  }

  /// C by alternating least squares from `gains` on; rows of the normal equations through LAPACK, as real equations.
  private func coupled(
    _ snapshots: [AntennaSnapshot], _ waves: [[Complex<Double>]], _ gains: [Complex<Double>]
  ) -> (response: [Complex<Double>], residual: Double)? {
    let count = array.positions.count
    var response = (0..<count * count).map { $0 / count == $0 % count ? gains[$0 / count] : Complex<Double>.zero }
    var residual = 0.0
    let equations = LinearEquations(capacity: 2 * count)
    for _ in 0..<60 {
      var normal = Array(repeating: Complex<Double>.zero, count: count * count)
      var sides = Array(repeating: Complex<Double>.zero, count: count * count)
      let before = residual
      residual = 0
      for (snapshot, wave) in zip(snapshots, waves) {
        var overlap = Complex<Double>.zero
        var power = 0.0
        var models = Array(repeating: Complex<Double>.zero, count: count)
        for row in 0..<count {
          for column in 0..<count { models[row] += response[row * count + column] * wave[column] }
          overlap += models[row].conjugate * snapshot.amplitudes[row]
          power += models[row].lengthSquared
        }
        guard power > 0 else { return nil }
        let scale = overlap / Complex(power)
        for row in 0..<count {
          residual += (snapshot.amplitudes[row] - scale * models[row]).lengthSquared
          for column in 0..<count {
            normal[row * count + column] += (scale * wave[row]).conjugate * (scale * wave[column])
            // Row m of C in the normal equations: Σ conj(x_k)·y_m.
            sides[row * count + column] += (scale * wave[column]).conjugate * snapshot.amplitudes[row]
          }
        }
      }
      let pull = regularisation * Double(snapshots.count) / Double(count)
      for row in 0..<count { normal[row * count + row] += Complex(pull) }
      // (N + λ)·c = side + λ·diag(g), for each row c of C.
      for row in 0..<2 * count {
        for column in 0..<2 * count {
          let element = normal[(row % count) * count + column % count]
          let value: Double
          switch (row < count, column < count) {
          case (true, true), (false, false): value = element.rawStorage.x
          case (true, false): value = -element.rawStorage.y
          case (false, true): value = element.rawStorage.y
          }
          equations.matrix.pointer[column * 2 * count + row] = value
        }
      }
      for antenna in 0..<count {
        for column in 0..<count {
          var side = sides[antenna * count + column]
          if column == antenna { side += Complex(pull) * gains[antenna] }
          equations.sides.pointer[antenna * 2 * count + column] = side.rawStorage.x
          equations.sides.pointer[antenna * 2 * count + count + column] = side.rawStorage.y
        }
      }
      guard equations.solve(order: 2 * count, sideCount: count) else { return nil }
      for antenna in 0..<count {
        for column in 0..<count {
          response[antenna * count + column] = Complex(
            equations.sides.pointer[antenna * 2 * count + column],
            equations.sides.pointer[antenna * 2 * count + count + column])
        }
      }
      let diagonal = (0..<count).map { response[$0 * count + $0] }
      response = Self.normalised(response, count: count, by: diagonal)
      if abs(before - residual) <= 1e-10 * residual { break }
    }
    return residual.isFinite ? (response, residual) : nil
  }

  /// Scales so that the gains average 1 in power and antenna 0's phase is 0.
  private static func normalised(
    _ values: [Complex<Double>], count: Int, by gains: [Complex<Double>]
  ) -> [Complex<Double>] {
    let power = gains.reduce(0) { $0 + $1.lengthSquared } / Double(count)
    guard power > 0, gains[0].length > 0 else { return values }
    let scale = gains[0].conjugate / Complex(gains[0].length * power.squareRoot())
    return values.map { $0 * scale }
  }

  /// Inverse by rows, real and imaginary parts interleaved; `nil` where there is none.
  private static func inverse(_ matrix: [Complex<Double>], order: Int) -> [Double]? {
    let equations = LinearEquations(capacity: 2 * order)
    for row in 0..<order {
      for column in 0..<order {
        let value = matrix[row * order + column].rawStorage
        equations.matrix.pointer[column * 2 * order + row] = value.x
        equations.matrix.pointer[column * 2 * order + order + row] = value.y
        equations.matrix.pointer[(order + column) * 2 * order + row] = -value.y
        equations.matrix.pointer[(order + column) * 2 * order + order + row] = value.x
        equations.sides.pointer[column * 2 * order + row] = row == column ? 1 : 0
        equations.sides.pointer[column * 2 * order + order + row] = 0
      }
    }
    guard equations.solve(order: 2 * order, sideCount: order) else { return nil }
    var inverse: [Double] = []
    for row in 0..<order {
      for column in 0..<order {
        inverse.append(equations.sides.pointer[column * 2 * order + row])
        inverse.append(equations.sides.pointer[column * 2 * order + order + row])
      }
    }
    return inverse.allSatisfy(\.isFinite) ? inverse : nil
  }
}
