/// How far to move timestamps whose CIRs nobody recorded: the peer's receptions, as a rule.
///
/// A channel is the same in both directions. Where a chip takes a later path for the first one, its peer does so too, and half of the
/// distance's error is the peer's. What CIRs at hand say of the chip's first paths in the same exchange is what to expect of the others.
///
///     move = a·ē,   a = max(0, 1 − 2s²/(v + ē²)),   s² = σ² + v/n + w
///
/// - ē: mean of e₁ … eₙ, the moves that the CIRs ask for; σ² the mean of their variances
/// - v: variance of a chip's timestamp on a clear path
/// - w: variance of what chips and estimators differ by on any path
///
/// It is Tweedie's formula (Efron, "Tweedie's Formula and Selection Bias", J. Am. Stat. Assoc. 106, 2011) for ē with a Cauchy density of
/// scale √v, stopped at 0: moves that the CIRs are not sure of are left out, large ones are taken whole. A chip on another path also
/// scatters more. Its variance is v + (aē/4)² a priori, which counts as much as two receptions beside the eᵢ themselves.
struct ReciprocalCorrection {
  /// Standard deviation of a chip's first path, as a share of how far it is off.
  private static let scatter = 0.25
  /// Receptions as which what is known a priori of the scatter counts.
  private static let priorCount = 2.0

  /// v and w, ticks².
  let chipVariance: Double
  let standingVariance: Double
  /// n
  private(set) var count = 0
  private var sum = 0.0
  private var squares = 0.0
  private var variances = 0.0

  init(chipVariance: Double, standingVariance: Double) {
    self.chipVariance = chipVariance
    self.standingVariance = standingVariance
  }

  /// Takes a reception whose CIR asks for a move of its timestamp, ticks, with this variance, ticks².
  mutating func add(_ move: Double, variance: Double) {
    count += 1
    sum += move
    squares += move * move
    variances += variance
  }

  /// The move of receptions without a CIR, ticks, and the variance of their timestamps then, ticks².
  ///
  /// The CIRs' own errors are in the move, too. So the timestamps' errors are correlated with those of the CIRs, and with each other. Those
  /// at either end count for half of a distance. Twice the covariances are in the variance: a sum over the timestamps takes them as independent.
  ///
  /// - Parameter receptions: how many share the move, about equally weighed.
  func move(receptions: Int) -> (ticks: Double, variance: Double) {
    guard count > 0 else { return (0, chipVariance) }
    let number = Double(count)
    let (mean, variance) = (sum / number, variances / number)
    let uncertain = variance + chipVariance / number + standingVariance
    let share = max(0, 1 - 2 * uncertain / (chipVariance + mean * mean))
    let move = share * mean
    let expected = chipVariance + Self.scatter * Self.scatter * move * move
    let seen = max(0, squares - sum * mean)
    let scattered = (Self.priorCount * expected + seen) / (Self.priorCount + number - 1)
    let common = share * share * scattered / number + (share * share + 2 * share) * variance
    return (move, scattered + Double(receptions) * common)
  }
}
