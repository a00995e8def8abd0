import Numerics
import UWBDSP
import UWBPlatform

/// Root-MUSIC on the channel's frequency response: delays from the roots of MUSIC's null spectrum.
///
/// With z for exp(jμ), z^(L−1)·D(z) is a polynomial of degree 2L − 2 whose roots come in pairs z, 1/z*; the K that lie
/// inside the unit circle and nearest to it give μ_i = arg z_i (Barabell 1983). Two close paths keep two roots where
/// MUSIC's spectrum has one minimum.
///
/// It is as accurate as `DelayMUSIC`, and misses one of two paths a tap apart less often.
///
/// Cost: that of MUSIC with all 2L − 2 roots (`PolynomialRoots`) in place of the grid, the dearest of the family.
/// Don't use it in a channel with more paths in the window than `mostPaths`.
public struct DelayRootMUSIC: DelayEstimator {
  /// The part of the spectrum that is used.
  public var window: FrequencyWindow

  /// Creates one with the given values.
  public init(_ window: FrequencyWindow = FrequencyWindow()) {
    self.window = window
  }

  /// Buffers of one estimation, one for each thread; `makeWorkspace()` makes it.
  public final class Workspace {
    fileprivate let stage: SubspaceStage
    fileprivate let subspace: SignalSubspace
    fileprivate let spectrum: NullSpectrum
    fileprivate let polynomial: PolynomialRoots
    /// Squared distances of the roots from 0.
    fileprivate let sizes: AlignedBuffer<Double>

    fileprivate init(_ estimator: DelayRootMUSIC, tapCount: Int) {
      stage = SubspaceStage(estimator.window, tapCount: tapCount)
      subspace = SignalSubspace(stage.response)
      spectrum = NullSpectrum(subspace)
      polynomial = PolynomialRoots(degree: 2 * spectrum.count - 2)
      sizes = AlignedBuffer(count: polynomial.degree, zero: 0)
    }
  }

  public func makeWorkspace(tapCount: Int) -> Workspace { Workspace(self, tapCount: tapCount) }

  public func estimate(_ taps: PreparedTaps, into estimate: inout DelayEstimate, using workspace: Workspace) {
    workspace.stage.estimate(
      taps, into: &estimate, order: { workspace.subspace.order($0) }, locate: { roots($0, workspace) })
  }

  private func roots(_ order: Int, _ workspace: Workspace) -> Int? {
    let spectrum = workspace.spectrum
    guard spectrum.make(order: order) else { return nil }
    let polynomial = workspace.polynomial
    let middle = spectrum.count - 1
    for lag in 0..<spectrum.count {
      let real = spectrum.coefficients.pointer[2 * lag]
      let imaginary = spectrum.coefficients.pointer[2 * lag + 1]
      polynomial.coefficients.pointer[2 * (middle - lag)] = real
      polynomial.coefficients.pointer[2 * (middle - lag) + 1] = -imaginary
      polynomial.coefficients.pointer[2 * (middle + lag)] = real
      polynomial.coefficients.pointer[2 * (middle + lag) + 1] = imaginary
    }
    let last = polynomial.coefficients.pointer + 2 * polynomial.degree
    guard last[0] != 0 || last[1] != 0 else { return nil }
    // Without noise the roots on the circle are double and settle slowly; they are good enough long before.
    _ = polynomial.find()
    return select(order, workspace)
  }

  /// The largest `order` of the smaller half of all roots: those inside the circle, by their pairs, even where rounding
  /// has pushed both of a pair to one side.
  private func select(_ order: Int, _ workspace: Workspace) -> Int {
    let roots = workspace.polynomial.roots.pointer
    let sizes = workspace.sizes.pointer
    let degree = workspace.polynomial.degree
    for index in 0..<degree {
      let (x, y) = (roots[2 * index], roots[2 * index + 1])
      let size = x * x + y * y
      var position = index
      while position > 0, sizes[position - 1] > size {
        sizes[position] = sizes[position - 1]
        roots[2 * position] = roots[2 * position - 2]
        roots[2 * position + 1] = roots[2 * position - 1]
        position -= 1
      }
      sizes[position] = size
      roots[2 * position] = x
      roots[2 * position + 1] = y
    }
    for index in 0..<order {
      let root = degree / 2 - 1 - index
      workspace.stage.delays.pointer[index] = workspace.stage.response.delay(
        angle: atan2(roots[2 * root + 1], roots[2 * root]))
    }
    return order
  }
}
