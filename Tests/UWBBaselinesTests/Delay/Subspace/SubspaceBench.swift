import Numerics
import TestSupport
import Testing
import UWBDSP

/// A list of paths: taps after the first one and decibels.
struct SubspaceCase: Sendable, CustomTestStringConvertible {
  var name: String
  var paths: [(delay: Double, powerdB: Double)]
  var snrdB: Double
  var testDescription: String { "\(name), \(snrdB) dB" }

  static let one = SubspaceCase(name: "one path", paths: [(0, 0)], snrdB: 20)
  static let four = SubspaceCase(name: "two, 4 taps apart", paths: [(0, 0), (4, 0)], snrdB: 25)
  static let two = SubspaceCase(name: "two, 2 taps apart", paths: [(0, 0), (2, 0)], snrdB: 25)
  static let uneven = SubspaceCase(name: "two, 1.5 taps apart", paths: [(0, 0), (1.5, 3)], snrdB: 30)
  static let weak = SubspaceCase(name: "a weak one first", paths: [(0, -10), (6, 0), (9, 0), (13, 0)], snrdB: 30)
  static let three = SubspaceCase(name: "three", paths: [(0, 0), (2.5, 3), (5.2, 1)], snrdB: 28)
}

struct SubspaceTrial {
  var samples: [Complex<Float>]
  var firstDelay: Double
  var delays: [Double]
  /// The Cramér–Rao bound of the first delay, a variance in taps².
  var bound: Double
}

enum SubspaceBench {
  static let tapCount = 256

  private static func pulse(_ taps: Double) -> Double { PulseShape.standard(taps * UWB.tap) }

  /// Where the pulses of `delays` are above 10⁻⁴ of their peaks.
  private static func near(_ delays: [Double]) -> Range<Int> {
    let first = Int(delays.min() ?? 0)
    let last = Int(delays.max() ?? 0)
    return max(0, first - 32)..<min(tapCount, last + 33)
  }

  static func trial(
    _ channel: SubspaceCase, using random: inout TrialGenerator
  ) -> SubspaceTrial {
    let first = 170 + 20 * random.uniform()
    let delays = channel.paths.map { first + $0.delay }
    let amplitudes = channel.paths.map {
      Complex(length: Double.exp10($0.powerdB / 20), phase: 2 * Double.pi * random.uniform())
    }
    var taps = [Complex<Double>](repeating: .zero, count: tapCount)
    for tap in near(delays) {
      for (delay, amplitude) in zip(delays, amplitudes) {
        taps[tap] += amplitude * Complex(pulse(Double(tap) - delay))
      }
    }
    let peak = taps.map(\.lengthSquared).max() ?? 0
    let variance = peak / Double.exp10(channel.snrdB / 10)
    for tap in 0..<tapCount { taps[tap] += random.complexNormal() * Complex(variance.squareRoot()) }
    return SubspaceTrial(
      samples: taps.map { Complex<Float>(Float($0.real), Float($0.imaginary)) }, firstDelay: first, delays: delays,
      bound: bound(delays, amplitudes, variance))
  }

  static func noise(using random: inout TrialGenerator) -> [Complex<Float>] {
    (0..<tapCount).map { _ in
      let sample = random.complexNormal()
      return Complex(Float(sample.real), Float(sample.imaginary))
    }
  }

  /// The first diagonal element of the inverse Fisher information of all delays and complex amplitudes.
  private static func bound(_ delays: [Double], _ amplitudes: [Complex<Double>], _ variance: Double) -> Double {
    let count = 3 * delays.count
    var information = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
    for tap in near(delays) {
      var slopes: [Complex<Double>] = []
      for (delay, amplitude) in zip(delays, amplitudes) {
        let at = Double(tap) - delay
        slopes.append(amplitude * Complex((pulse(at - 1e-4) - pulse(at + 1e-4)) / 2e-4))
        slopes.append(Complex(pulse(at), 0))
        slopes.append(Complex(0, pulse(at)))
      }
      for row in 0..<count {
        for column in 0..<count {
          information[row][column] += 2 / variance * (slopes[row].conjugate * slopes[column]).real
        }
      }
    }
    return firstOfInverse(information)
  }

  /// (A⁻¹)₁₁ by Gauss–Jordan elimination with pivoting.
  private static func firstOfInverse(_ matrix: [[Double]]) -> Double {
    var a = matrix
    var side = [Double](repeating: 0, count: a.count)
    side[0] = 1
    for column in a.indices {
      let pivot = (column..<a.count).max { abs(a[$0][column]) < abs(a[$1][column]) } ?? column
      a.swapAt(column, pivot)
      side.swapAt(column, pivot)
      for row in a.indices where row != column {
        let factor = a[row][column] / a[column][column]
        for index in column..<a.count { a[row][index] -= factor * a[column][index] }
        side[row] -= factor * side[column]
      }
    }
    return side[0] / a[0][0]
  }

  struct Score {
    /// RMSE over the root of the pooled bound.
    var ratio = 0.0
    /// Trials whose number of paths is right.
    var counted = 0
    /// No first path, or further than 0.75 tap off.
    var lost = 0
    /// Mean of the squared error over the stated variance.
    var normalisedVariance = 0.0
  }

  static func score<Estimator: DelayEstimator>(
    _ estimator: Estimator, _ channel: SubspaceCase, trials: Int, seed: UInt64
  ) -> Score {
    var random = TrialGenerator(seed: seed)
    let taps = PreparedTaps(tapCount: tapCount)
    let workspace = estimator.makeWorkspace(tapCount: tapCount)
    var estimate = DelayEstimate()
    var score = Score()
    var square = 0.0
    var bound = 0.0
    var normalised = 0.0
    var used = 0
    for _ in 0..<trials {
      let trial = trial(channel, using: &random)
      taps.load(ChannelImpulseResponse(trial.samples), antenna: 0)
      estimator.estimate(taps, into: &estimate, using: workspace)
      guard let path = estimate.firstPath, abs(path.delayTaps - trial.firstDelay) < 0.75 else {
        score.lost += 1
        continue
      }
      let error = path.delayTaps - trial.firstDelay
      used += 1
      square += error * error
      bound += trial.bound
      normalised += error * error / (path.deviationTaps * path.deviationTaps)
      if estimate.paths.count == channel.paths.count { score.counted += 1 }
    }
    score.ratio = (square / bound).squareRoot()
    score.normalisedVariance = normalised / Double(max(used, 1))
    return score
  }
}
