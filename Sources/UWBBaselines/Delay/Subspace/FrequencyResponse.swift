import Numerics
import UWBDSP

/// The channel's frequency response over the usable band, and the weights that whiten its Hankel matrix.
///
/// With B frequencies H[0] … H[B−1], the matrix X[l, m] = H[l + m] of L × M = L × (B + 1 − L) holds every stretch of L
/// neighbours: M snapshots of one subarray (spatial smoothing: Shan, Wax & Kailath 1985), in which coherent paths
/// become separate directions. Its noise has variance v[l + m] ∝ 1/|P|²; weights w_l and u_m with
/// ln w_l² = −mean_m ln v[l + m] and ln u_m² = mean_lm ln v − mean_l ln v[l + m] make w_l·X[l, m]·u_m as nearly white
/// as a row and a column factor can.
final class FrequencyResponse {
  /// B, an odd number: a band symmetric about the carrier.
  let bandCount: Int
  /// L
  let rows: Int
  /// M
  let columns: Int
  let windowTaps: Int
  /// w_l
  let rowWeights: [Double]
  /// w_l·X[l, m]·u_m by columns: all real parts, then all imaginary parts.
  let matrix: AlignedBuffer<Double>

  /// w_l·u_m by columns.
  private let weights: AlignedBuffer<Double>
  private let inverseSpectrum: [Double]
  private let response: AlignedBuffer<Double>
  private let plan: FourierPlan
  private let input: AlignedBuffer<Float>
  private let spectrum: AlignedBuffer<Float>

  init(_ window: FrequencyWindow) {
    let count = window.windowTaps
    windowTaps = count
    let pulse = window.pulseSpectrum()
    let sizes = pulse.map { ($0.real * $0.real + $0.imaginary * $0.imaginary).squareRoot() }
    let largest = max(sizes.max() ?? 1, .leastNormalMagnitude)
    // The band about frequency 0; never so narrow that two paths have no room, never up to the Nyquist bin.
    let falling = sizes.firstIndex { $0 < window.bandLevel * largest } ?? sizes.count
    let half = min(max(falling - 1, 4), count / 2 - 1)
    bandCount = 2 * half + 1
    // Five eighths: long enough to resolve, with enough snapshots left to tell paths from noise.
    rows = (5 * bandCount + 4) / 8
    columns = bandCount + 1 - rows
    var inverse: [Double] = []
    var logVariance: [Double] = []
    for index in -half...half {
      let value = pulse[abs(index)]
      let size = max(sizes[abs(index)], 1e-3 * largest)
      // Delays count from the window's middle: (−1)^f moves it there. P(−f) is P(f)*, the pulse being real.
      let sign = index % 2 == 0 ? 1.0 : -1.0
      inverse.append(sign * value.real / (size * size))
      inverse.append(sign * (index < 0 ? 1 : -1) * value.imaginary / (size * size))
      logVariance.append(-2 * Double.log(size))
    }
    inverseSpectrum = inverse
    let (rowCount, columnCount) = (rows, columns)
    let rowMeans = (0..<rowCount).map { row in
      (0..<columnCount).reduce(0) { $0 + logVariance[row + $1] } / Double(columnCount)
    }
    let columnMeans = (0..<columnCount).map { column in
      (0..<rowCount).reduce(0) { $0 + logVariance[$1 + column] } / Double(rowCount)
    }
    let mean = rowMeans.reduce(0, +) / Double(rowCount)
    rowWeights = rowMeans.map { Double.exp(-0.5 * $0) }
    matrix = AlignedBuffer(count: 2 * rows * columns, zero: 0)
    weights = AlignedBuffer(count: rows * columns, zero: 0)
    for column in 0..<columns {
      for row in 0..<rows {
        weights.pointer[column * rows + row] = rowWeights[row] * Double.exp(0.5 * (mean - columnMeans[column]))
      }
    }
    response = AlignedBuffer(count: 2 * bandCount, zero: 0)
    plan = FourierRecipe(count: count, direction: .forward).makePlan()
    input = AlignedBuffer(count: 2 * count, zero: 0)
    spectrum = AlignedBuffer(count: 2 * count, zero: 0)
  }

  /// Weights for what rows l and l + 1 share, l < L − 1: √(w_l·w_{l+1}).
  var neighbourWeights: [Double] {
    zip(rowWeights, rowWeights.dropFirst()).map { ($0 * $1).squareRoot() }
  }

  /// The delay, in taps from the window's start, of a path whose exponential turns by `angle` from bin to bin.
  func delay(angle: Double) -> Double {
    Double(windowTaps) * (0.5 - angle / (2 * .pi))
  }

  /// Makes `matrix` of the window that begins at `firstTap`, which lies wholly in the CIR.
  func load(_ taps: PreparedTaps, firstTap: Int) {
    input.pointer.update(from: taps.taps + 2 * firstTap, count: 2 * windowTaps)
    plan.execute(input.pointer, into: spectrum.pointer)
    let half = bandCount / 2
    inverseSpectrum.withUnsafeBufferPointer { inverse in
      for index in 0..<bandCount {
        let bin = (index - half + windowTaps) % windowTaps
        let x = Double(spectrum.pointer[2 * bin])
        let y = Double(spectrum.pointer[2 * bin + 1])
        let a = inverse[2 * index]
        let b = inverse[2 * index + 1]
        response.pointer[index] = x * a - y * b
        response.pointer[bandCount + index] = x * b + y * a
      }
    }
    for column in 0..<columns {
      let weights = weights.pointer + column * rows
      for part in 0..<2 {
        let target = matrix.pointer + (part * columns + column) * rows
        let source = response.pointer + part * bandCount + column
        for row in 0..<rows { target[row] = weights[row] * source[row] }
      }
    }
  }
}
