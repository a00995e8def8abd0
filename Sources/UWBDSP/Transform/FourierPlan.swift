/// What a transform is to do; the key under which its plan is kept.
///
/// X[k] = Σ_n x[n] · exp(∓j·2πkn/N), minus for `forward`, plus for `inverse`. Neither direction scales.
package struct FourierRecipe: Hashable, Sendable {
  /// Sign of the exponent.
  package enum Direction: Hashable, Sendable {
    /// Minus for `forward`, plus for `inverse`.
    case forward, inverse
  }

  /// Complex points, a power of two. Native accumulator lengths have large prime factors (1016 = 8 · 127 costs ten
  /// times what 1024 points cost, and FFTW allocates on each call): pad, or cut a window.
  package let count: Int
  /// Sign of the exponent.
  package let direction: Direction

  /// - Precondition: `count` is a power of two.
  package init(count: Int, direction: Direction) {
    precondition(count > 0 && count & (count - 1) == 0, "a transform of \(count) points: use a power of two")
    self.count = count
    self.direction = direction
  }

  /// The plan for this recipe: made once a process, then shared.
  ///
  /// Planning takes a lock and allocates; call it while a workspace is made, not for each CIR. Plans are made by
  /// estimate, so that the same input gives the same bits in every run.
  package func makePlan() -> FourierPlan {
    FourierPlan.cache.withLock { plans in
      if let plan = plans[self] { return plan }
      let plan = FourierPlan(self)
      plans[self] = plan
      return plan
    }
  }
}

/// A planned transform of single-precision complex points, interleaved (real, imaginary).
protocol PlannedTransform: Sendable {
  init(_ recipe: FourierRecipe)
  /// Transforms the recipe's points from `input` into `output`. Both are 64-byte aligned and do not overlap. Takes no lock, allocates
  /// nothing, and may happen on any number of threads at once.
  func execute(_ input: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>)
}

/// A recipe with its plan.
package final class FourierPlan: Sendable {
  #if UWB_WITHOUT_FFTW
    private typealias Transform = PlainTransform
  #else
    private typealias Transform = FFTWTransform
  #endif

  // One lock stands around planning, which is not thread-safe in FFTW.
  fileprivate static let cache = StateLock<[FourierRecipe: FourierPlan]>([:])

  /// Length and direction.
  package let recipe: FourierRecipe
  private let transform: Transform

  fileprivate init(_ recipe: FourierRecipe) {
    self.recipe = recipe
    transform = Transform(recipe)
  }

  package func execute(_ input: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>) {
    transform.execute(input, into: output)
  }
}
