import Numerics
import UWBDSP

/// One path of a made-up CIR.
public struct NaivePath: Sendable, Hashable {
  public var delayTaps: Double
  public var amplitude: Complex<Double>

  public init(delayTaps: Double, amplitude: Complex<Double>) {
    self.delayTaps = delayTaps
    self.amplitude = amplitude
  }

  /// A path of power `powerdB` over a noise variance of 1.
  public init(delayTaps: Double, powerdB: Double, phase: Double) {
    self.init(delayTaps: delayTaps, amplitude: Complex(length: Double.pow(10, powerdB / 20), phase: phase))
  }
}

/// CIRs by direct evaluation of Σ_i a_i·p(k − τ_i) plus white noise.
public enum NaiveImpulseResponse {
  /// Samples of one antenna; complex noise of `noiseVariance` a tap.
  public static func samples(
    _ paths: [NaivePath], tapCount: Int, pulse: PulseShape = .standard, noiseVariance: Double = 1,
    using random: inout StatisticsRandom
  ) -> [Complex<Float>] {
    (0..<tapCount).map { tap in
      var value = noiseVariance > 0 ? random.complexGaussian(variance: noiseVariance) : .zero
      for path in paths {
        value += path.amplitude * Complex(pulse((Double(tap) - path.delayTaps) * UWB.tap))
      }
      return Complex(Float(value.real), Float(value.imaginary))
    }
  }

  /// The same as 16-bit integers, a step being `step`; what lies beyond them is clipped, as a chip clips it.
  public static func integers(_ samples: [Complex<Float>], step: Float) -> ChannelImpulseResponse {
    func clip(_ value: Float) -> Int16 { Int16(max(-32768, min(32767, (value / step).rounded()))) }
    let storage = TapStorage(byteCount: 4 * samples.count)
    storage.withMutableBytes { bytes in
      for (index, sample) in samples.enumerated() {
        bytes.storeBytes(of: clip(sample.real), toByteOffset: 4 * index, as: Int16.self)
        bytes.storeBytes(of: clip(sample.imaginary), toByteOffset: 4 * index + 2, as: Int16.self)
      }
    }
    return ChannelImpulseResponse(storage: storage, format: .int16, tapCount: samples.count, scale: step)
  }
}
