import Foundation
import NearbyUCI
import Numerics
import UWBDSP
import UWBSimulation

/// Windows of impulse responses as a chip's diagnostics carry them, round the chip's own first path: IEEE 802.15.4a's channels of a dwelling,
/// with line of sight (CM1) or without (CM2).
struct ChipWindows: Sendable {
  static let tapCounts = 16...64
  /// dB; of the strongest tap at 1 m, less what free space takes
  private static let snrAtOneMetre = 45.0
  /// dB; the accumulator's own noise bounds it.
  private static let bestSNR = 38.0
  /// Counts of the largest part.
  private static let peakCounts = 12_000
  /// Taps; standard deviation of the chip's own first path
  private static let chipDeviation = 0.5

  let tapCount: Int
  private let synthesizer: ImpulseResponseSynthesizer

  init(tapCount: Int) {
    self.tapCount = tapCount
    synthesizer = ImpulseResponseSynthesizer(tapCount: tapCount)
  }

  /// A quarter of the window lies before the first path.
  private var firstPath: Int { tapCount / 4 }

  func frames(
    of round: SimulatedChip.Round, distance: Double, isClear: Bool, using random: inout SeededGenerator
  ) -> [SimulatedDiagnostics.Frame] {
    (round.isInitiator ? [1] : [0, 2]).map { message in
      SimulatedDiagnostics.Frame(
        message: message, sender: round.peer,
        windows: [window(distance: distance, isClear: isClear, using: &random)], firstPath: UInt8(firstPath))
    }
  }

  private func window(distance: Double, isClear: Bool, using random: inout SeededGenerator) -> [SIMD2<Int16>] {
    let paths = Channel.ieee802154a(isClear ? .cm1 : .cm2).draw(using: &random)
    let edge = Double(firstPath) + random.uniform() + Self.chipDeviation * random.normal()
    var samples = synthesizer.noiseless(paths, onsetTaps: max(0, edge) + DeviceProfile.dw3000.peakOffsetTaps)
    let peak = samples.reduce(Float(0)) { max($0, $1.lengthSquared) }
    let snr = min(Self.bestSNR, Self.snrAtOneMetre - 20 * log10(max(0.1, distance)))
    random.addNoise(variance: Double(peak) * pow(10, -snr / 10), to: &samples)
    let gain = AccumulatorQuantisation.automaticGain(peakCounts: Self.peakCounts).gain(
      largestPart: samples.reduce(0) { max($0, Double(max(abs($1.real), abs($1.imaginary)))) })
    return samples.map { sample in
      SIMD2(Int16(clamping: Int(Double(sample.real) * gain)), Int16(clamping: Int(Double(sample.imaginary) * gain)))
    }
  }
}
