import Numerics
import UWBDSP
import UWBPlatform

/// Measures on a radio's own CIRs how badly a pulse describes it, and whether those CIRs can tell.
///
/// A CIR is the pulse convolved with the channel. Its power spectrum over that of the pulse, |H(f)|²/|P(f)|², is the channel's own, times
/// what the pulse is wrong by. Channels of different places share nothing but the pulse. So in eight bands of equal width, each CIR
/// scaled to a mean of 1, every band has mean 1 if the pulse is right: the scaled bands of a channel are exchangeable. What the bands'
/// means differ by is the pulse's misfit, or what the places have in common. Five conditions tell them apart:
///
/// - `count`: enough CIRs.
/// - `spread`: the channels differ. It is the deviation of a band from CIR to CIR, noise taken off. Without it, a second path a tap or
///   two later in every CIR can't be told from a wrong pulse.
/// - `channelCount`: a channel whose paths lie taps apart ripples within all bands, where a pulse bends a few. The ripple of the mean over that of
///   each CIR says how many different channels went into the mean. CIRs of one place have one, however many they are.
/// - `excess`: the bands' mean square difference over that ripple of the mean. What is left of the channels is larger between bands than
///   within them, but not ten times.
/// - `fValue`: Hotelling's T² of the bands' means (Hotelling 1931), over sixteen stretches of CIRs, so that neighbours may be alike:
///   (16 − 7)/(7·15)·T² has the distribution F(7, 9) if the pulse is right.
///
/// The limits of the second to the fourth were set on simulated rooms (own pulse and others, at rest, walking, standing, people about) and
/// hold on 22 logs of a DW1000 at rest, each of which has 1.0–3.1 channels in its 127–383 CIRs.
///
/// Needs whole accumulators: 64 taps of noise before the signal. Cost: up to seven transforms of 128 points a CIR.
public struct PulseMisfit: Sendable {
  /// CIRs that are taken; later ones are passed over.
  public static let mostCount = 400
  /// Fewest CIRs that say anything.
  public static let leastCount = 48
  static let leastSpread = 0.15
  static let leastChannelCount = 8.0
  static let leastExcess = 10.0
  /// F(7, 9) is larger with a probability of 0.01.
  static let leastFValue = 5.6
  /// Least misfit that matters. Set on the arena's tuned families of a DW1000, with a look at rooms of other seeds than the page's.
  static let leastMisfit = 0.04

  private static let windowTaps = 64
  private static let points = 128
  private static let tapsBefore = 8
  /// The first point: below it is the receiver's own offset.
  private static let firstPoint = 2
  private static let bandCount = 8
  private static let stretchCount = 16
  /// Stretches of noise before the signal.
  private static let mostNoise = 6
  /// The pulse's power over its largest, from which on a point counts.
  private static let leastPower = 0.02
  /// Power of the signal over the noise, from which on a CIR counts.
  private static let leastSignal = 3.0
  /// The first path reaches this share of the strongest tap, and lies at most so many taps before it.
  private static let onsetShare: Float = 0.35
  private static let onsetTaps = 80

  /// What the CIRs so far say of the pulse.
  public struct Finding: Sendable, Hashable {
    /// CIRs that counted.
    public var count: Int
    /// √(1 − ρ²), ρ the correlation of the mean spectrum's magnitude with the pulse's, in the pulse's band. It holds whatever the channels
    /// share, too.
    public var misfit: Double
    /// Standard deviation of the misfit, by leaving out each stretch of CIRs in turn (Efron & Stein 1981).
    public var misfitDeviation: Double
    /// Deviation of a band's power from CIR to CIR, relative to its mean, without noise.
    public var spread: Double
    /// Different channels in the mean.
    public var channelCount: Double
    /// The misfit's power over that of the channels' ripple in the mean.
    public var excess: Double
    /// Hotelling's T² as a value of F(7, 9).
    public var fValue: Double

    /// Whether the CIRs show different channels enough to tell a pulse from its surroundings.
    public var tells: Bool {
      count >= leastCount && spread >= leastSpread && channelCount >= leastChannelCount
    }

    /// Whether the pulse fits as well as can be told.
    public var fits: Bool { tells && misfit < leastMisfit }

    /// Whether the pulse is wrong, by more than chance and by more than matters little.
    public var isWrong: Bool {
      tells && misfit >= leastMisfit && excess >= leastExcess && fValue >= leastFValue
    }
  }

  /// A CIR's signal.
  struct Signal {
    /// The tap where the first path begins.
    var onset: Int
    /// Mean power in the band over the pulse's.
    var power: Double
  }

  /// One CIR's points over the pulse's, scaled to a mean of 1, and their noise variance, band by band.
  private struct Spectrum {
    var points: [Double]
    var noise: [Double]
  }

  private let window: [Float]
  private let pulsePowers: [Double]
  /// The points of each band.
  private let bands: [Range<Int>]
  private var spectra: [Spectrum] = []

  /// - Parameters:
  ///   - pulse: what the radio's pulse is taken for.
  ///   - tapSpacing: seconds from tap to tap.
  public init(_ pulse: PulseShape, tapSpacing: Double = UWB.tap) {
    let taper = (0..<Self.windowTaps).map { tap -> Float in
      // The ends fade over 4 and 16 taps.
      let share = min(1, (Float(tap) + 0.5) / 4, (Float(Self.windowTaps - tap) - 0.5) / 16)
      return 0.5 - 0.5 * Float.cos(.pi * share)
    }
    window = taper
    let powers = WindowSpectrum().powers { samples in
      for tap in 0..<Self.windowTaps {
        samples[2 * tap] = taper[tap] * Float(pulse(Double(tap - Self.tapsBefore) * tapSpacing))
      }
    }
    pulsePowers = powers
    let least = Self.leastPower * (powers.max() ?? 0)
    // Bands lie side by side: the pulse's spectrum has no gaps.
    let last = powers.lastIndex { $0 >= least } ?? 0
    let width = max(last + Self.bandCount - Self.firstPoint, 0) / Self.bandCount
    assert(Self.firstPoint + width * Self.bandCount <= powers.count)
    bands = (0..<Self.bandCount).map { Self.firstPoint + $0 * width..<Self.firstPoint + ($0 + 1) * width }
  }

  /// CIRs that counted.
  public var count: Int { spectra.count }

  /// Takes a CIR; one whose signal begins before there is noise to see, or does not stand above it, counts for nothing.
  ///
  /// - Returns: where and how strong its signal is, where it counted.
  @discardableResult
  mutating func add(_ taps: PreparedTaps) -> Signal? {
    guard count < Self.mostCount, taps.isUsable, let width = bands.first?.count, width > 2 else { return nil }
    let onset = Self.onset(taps)
    let start = onset - Self.tapsBefore
    guard start >= Self.windowTaps, start + Self.windowTaps <= taps.count else { return nil }
    let spectrum = WindowSpectrum()
    let signal = powers(taps, from: start, spectrum)
    var noise = [Double](repeating: 0, count: signal.count)
    let stretches = min(Self.mostNoise, start / Self.windowTaps)
    for stretch in 1...stretches {
      for (point, power) in powers(taps, from: start - stretch * Self.windowTaps, spectrum).enumerated() {
        noise[point] += power / Double(stretches)
      }
    }
    let inBand = (bands.first?.lowerBound ?? 0)..<(bands.last?.upperBound ?? 0)
    let whole = inBand.map { signal[$0] / pulsePowers[$0] }.reduce(0, +)
    let noisy = inBand.map { noise[$0] / pulsePowers[$0] }.reduce(0, +)
    let scale = (whole - noisy) / Double(inBand.count)
    guard whole > (1 + Self.leastSignal) * noisy, scale > 0, scale.isFinite else { return nil }
    let own = zip(signal, noise).map { $0 - $1 }
    spectra.append(
      Spectrum(
        points: inBand.map { own[$0] / pulsePowers[$0] / scale },
        noise: bands.map { band in
          band.reduce(0) { sum, point in
            // A point is the mean of two powers, of f and −f. Each has the variance 2·S·N − N², S the power of signal and noise.
            let variance = max(2 * signal[point] * noise[point] - noise[point] * noise[point], 0) / 2
            let unit = pulsePowers[point] * scale
            return sum + variance / (unit * unit) / Double(band.count)
          }
        }))
    return Signal(onset: onset, power: scale)
  }

  /// What the CIRs so far say; `nil` before there are enough.
  public func finding() -> Finding? {
    guard count >= Self.leastCount, let start = bands.first?.lowerBound else { return nil }
    let own = bands.map { $0.lowerBound - start..<$0.upperBound - start }
    let means = spectra.map { spectrum in own.map { Self.mean(spectrum.points[$0]) } }
    let shares = (0..<Self.stretchCount).map { stretch in
      count * stretch / Self.stretchCount..<count * (stretch + 1) / Self.stretchCount
    }
    let stretches = shares.map { Self.mean(of: means[$0]) }
    let points = spectra.map(\.points)
    let misfit = misfit(shares.map { Self.mean(of: points[$0]) }, from: start)
    let differences = Self.mean(of: stretches[...]).map { $0 - 1 }
    let noise = Self.mean(of: spectra.map(\.noise)[...])
    let ripple = Self.medianRipple(Self.ripples(Self.mean(of: points[...]), own), own)
    let ownRipple = Self.mean(of: spectra.map { Self.ripples($0.points, own) }[...]).reduce(0, +) / Double(own.count)
    let channelRipple = max(ownRipple - noise.reduce(0, +) / Double(noise.count), 0)
    let spread = max(Self.spread(means, noise: noise.map { $0 / Double(own[0].count) }), 0)
    guard ripple > 0 else { return nil }
    return Finding(
      count: count, misfit: misfit.value, misfitDeviation: misfit.deviation, spread: spread.squareRoot(),
      channelCount: (channelRipple + spread) / ripple,
      excess: differences.reduce(0) { $0 + $1 * $1 } / Double(differences.count) / ripple,
      fValue: Self.fValue(stretches, differences))
  }

  /// The misfit of all stretches' mean spectrum, and its deviation from those that leave one out.
  private func misfit(_ stretches: [[Double]], from start: Int) -> (value: Double, deviation: Double) {
    func misfit(_ sum: [Double]) -> Double {
      var (product, power, pulsePower) = (0.0, 0.0, 0.0)
      for (index, value) in sum.enumerated() {
        let (ratio, pulse) = (max(value, 0), pulsePowers[start + index])
        product += ratio.squareRoot() * pulse
        power += ratio * pulse
        pulsePower += pulse
      }
      return power > 0 ? max(0, 1 - product * product / (power * pulsePower)).squareRoot() : 0
    }
    let mean = Self.mean(of: stretches[...])
    let without = stretches.map { stretch in
      misfit(zip(mean, stretch).map { $0 - $1 / Double(stretches.count) })
    }
    let centre = Self.mean(without[...])
    let squares = without.reduce(0) { $0 + ($1 - centre) * ($1 - centre) }
    return (misfit(mean), (squares * Double(without.count - 1) / Double(without.count)).squareRoot())
  }

  /// The median over bands of the variance from CIR to CIR, noise taken off.
  private static func spread(_ means: [[Double]], noise: [Double]) -> Double {
    let mean = mean(of: means[...])
    let variances = mean.indices.map { band in
      means.reduce(0) { $0 + ($1[band] - mean[band]) * ($1[band] - mean[band]) } / Double(means.count) - noise[band]
    }
    return variances.sorted()[variances.count / 2]
  }

  /// The mean square within each band, less a straight line: (n − 2) of n points are free.
  private static func ripples(_ points: [Double], _ bands: [Range<Int>]) -> [Double] {
    bands.map { band in
      let values = points[band]
      let (mean, centre) = (Self.mean(values), Double(band.count - 1) / 2)
      var (slope, square, total) = (0.0, 0.0, 0.0)
      for (index, value) in values.enumerated() {
        let x = Double(index) - centre
        slope += x * (value - mean)
        square += x * x
        total += (value - mean) * (value - mean)
      }
      return (total - slope * slope / square) / Double(band.count - 2)
    }
  }

  /// The median over bands as a mean: a wrong pulse bends the mean spectrum in a few bands, mostly the last, where channels bend it in all.
  ///
  /// The median of a χ² variable of k degrees of freedom is (1 − 2/9k)³ of its mean (Wilson & Hilferty 1931).
  private static func medianRipple(_ ripples: [Double], _ bands: [Range<Int>]) -> Double {
    let term = 1 - 2 / (9 * Double(bands[0].count - 2))
    let sorted = ripples.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2 / (term * term * term)
  }

  /// (B − p)/(p·(B − 1))·B·dᵀC⁻¹d, C the covariance of B stretches; one band follows from the others, so p is one less.
  private static func fValue(_ stretches: [[Double]], _ differences: [Double]) -> Double {
    let (count, order) = (Double(stretches.count), differences.count - 1)
    var matrix = [Double](repeating: 0, count: order * order)
    for stretch in stretches {
      for row in 0..<order {
        for column in 0..<order {
          matrix[row + order * column] +=
            (stretch[row] - 1 - differences[row]) * (stretch[column] - 1 - differences[column]) / (count - 1)
        }
      }
    }
    var side = Array(differences[..<order])
    guard PositiveDefiniteEquations.solve(&matrix, &side) else { return 0 }
    let tSquare = count * zip(side, differences).reduce(0) { $0 + $1.0 * $1.1 }
    let value = (count - Double(order)) / (Double(order) * (count - 1)) * tSquare
    return value.isFinite ? value : 0
  }

  private static func mean(_ values: ArraySlice<Double>) -> Double {
    values.reduce(0, +) / Double(max(values.count, 1))
  }

  private static func mean(of rows: ArraySlice<[Double]>) -> [Double] {
    guard var sum = rows.first else { return [] }
    for row in rows.dropFirst() {
      for index in sum.indices { sum[index] += row[index] }
    }
    return sum.map { $0 / Double(rows.count) }
  }

  /// The first tap near the strongest that reaches a third of it: no pulse is asked, for it may be wrong.
  private static func onset(_ taps: PreparedTaps) -> Int {
    let level = onsetShare * onsetShare * taps.powers.pointer[taps.peakTap]
    var tap = max(0, taps.peakTap - onsetTaps)
    while tap < taps.peakTap, taps.powers.pointer[tap] <= level { tap += 1 }
    return tap
  }

  private func powers(_ taps: PreparedTaps, from start: Int, _ spectrum: WindowSpectrum) -> [Double] {
    let source = taps.taps(in: start..<start + Self.windowTaps) + 2 * start
    return spectrum.powers { samples in
      for (tap, weight) in window.enumerated() {
        samples[2 * tap] = weight * source[2 * tap]
        samples[2 * tap + 1] = weight * source[2 * tap + 1]
      }
    }
  }

  /// The power spectrum of a window of taps.
  private struct WindowSpectrum {
    private let samples = AlignedBuffer<Float>(count: 2 * PulseMisfit.points, zero: 0)
    private let spectrum = AlignedBuffer<Float>(count: 2 * PulseMisfit.points, zero: 0)
    private let plan = FourierRecipe(count: PulseMisfit.points, direction: .forward).makePlan()

    /// Powers at frequencies 0 … N/2, those of f and −f averaged: a pulse is real.
    ///
    /// - Parameter fill: writes the window's samples, interleaved, all of them or over zeros.
    func powers(_ fill: (UnsafeMutablePointer<Float>) -> Void) -> [Double] {
      fill(samples.pointer)
      plan.execute(samples.pointer, into: spectrum.pointer)
      func power(_ point: Int) -> Double {
        let (real, imaginary) = (spectrum.pointer[2 * point], spectrum.pointer[2 * point + 1])
        return Double(real * real + imaginary * imaginary)
      }
      let count = PulseMisfit.points
      return (0...count / 2).map { (power($0) + power((count - $0) % count)) / 2 }
    }
  }
}
