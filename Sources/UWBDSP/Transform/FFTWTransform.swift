#if !UWB_WITHOUT_FFTW
  import CFFTW

  /// A transform that FFTW has planned.
  // Unchecked because of FFTW's plan pointer: FFTW documents that execution is thread-safe, and nothing else touches the plan after `init`.
  final class FFTWTransform: PlannedTransform, @unchecked Sendable {
    private let count: Int
    private let plan: fftwf_plan

    /// FFTW's planner is not thread-safe: one at a time.
    init(_ recipe: FourierRecipe) {
      count = recipe.count
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

    func execute(_ input: UnsafeMutablePointer<Float>, into output: UnsafeMutablePointer<Float>) {
      input.withMemoryRebound(to: fftwf_complex.self, capacity: count) { source in
        output.withMemoryRebound(to: fftwf_complex.self, capacity: count) { target in
          fftwf_execute_dft(plan, source, target)
        }
      }
    }
  }
#endif
