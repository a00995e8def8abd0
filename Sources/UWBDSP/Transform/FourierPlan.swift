import CFFTW

/// What a transform is to do; the key under which its plan is kept.
///
/// X[k] = Σ_n x[n] · exp(∓j·2πkn/N), minus for `forward`, plus for `inverse`. Neither direction scales.
public struct FourierRecipe: Hashable, Sendable {
  public enum Direction: Hashable, Sendable {
    case forward, inverse
  }

  /// Complex points, a power of two. Native accumulator lengths have large prime factors (1016 = 8 · 127 costs ten
  /// times what 1024 points cost, and FFTW allocates on each call): pad, or cut a window.
  public let count: Int
  public let direction: Direction

  /// - Precondition: `count` is a power of two.
  public init(count: Int, direction: Direction) {
    precondition(count > 0 && count & (count - 1) == 0, "a transform of \(count) points: use a power of two")
    self.count = count
    self.direction = direction
  }

  /// The plan for this recipe: made once a process, then shared.
  ///
  /// Planning takes a lock and allocates; call it while a workspace is made, not for each CIR. Plans are made by
  /// estimate, so that the same input gives the same bits in every run.
  public func makePlan() -> FourierPlan {
    FourierPlan.cache.withLock { plans in
      if let plan = plans[self] { return plan }
      let plan = FourierPlan(self)
      plans[self] = plan
      return plan
    }
  }
}

/// A planned transform of single-precision complex points, interleaved (real, imaginary). Executing it takes no lock,
/// allocates nothing and may happen on any number of threads at once.
public final class FourierPlan: @unchecked Sendable {
  // Unchecked because of FFTW's plan pointer: FFTW documents that execution is thread-safe, and nothing else touches
  // the plan after `init`. One lock stands around everything else in FFTW, which is not thread-safe.
  fileprivate static let cache = StateLock<[FourierRecipe: FourierPlan]>([:])

  public let recipe: FourierRecipe
  private let plan: fftwf_plan

  fileprivate init(_ recipe: FourierRecipe) {
    self.recipe = recipe
    let scratch = AlignedBuffer<Float>(count: 4 * recipe.count, zero: 0)
    let planned = scratch.pointer.withMemoryRebound(to: fftwf_complex.self, capacity: 2 * recipe.count) { points in
      fftwf_plan_dft_1d(
        Int32(recipe.count), points, points + recipe.count,
        recipe.direction == .forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE)
    }
    guard let planned else {
      // FFTW returns no plan only when it is out of memory or built without the complex transforms.
      preconditionFailure("FFTW has no plan for \(recipe.count) points")
    }
    plan = planned
  }

  /// Transforms `recipe.count` points from `input` into `output`. Both are 64-byte aligned and do not overlap.
  func execute(_ input: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>) {
    input.withMemoryRebound(to: fftwf_complex.self, capacity: recipe.count) { source in
      output.withMemoryRebound(to: fftwf_complex.self, capacity: recipe.count) { target in
        fftwf_execute_dft(plan, source, target)
      }
    }
  }
}
