import Numerics
import TestSupport
import UWBDSP

/// CIRs of several antennas, straight from the model.
struct ArrayTrials {
  static let carrier = 6489.6e6
  static let half = UWB.speedOfLightInAir / carrier / 2
  static let corner = AntennaArray(
    positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0)], carrier: carrier)
  static let row = AntennaArray(positions: (0..<4).map { SIMD3(Double($0) * half, 0, 0) }, carrier: carrier)
  static let square = AntennaArray(
    positions: [SIMD3(0, 0, 0), SIMD3(half, 0, 0), SIMD3(0, half, 0), SIMD3(half, half, 0)], carrier: carrier)

  var array = ArrayTrials.square
  var waves: [JointBound.Wave] = []
  var tapCount = 320
  /// Of a tap, one for each antenna.
  var noiseVariances: [Double] = []
  /// Gains, one for each antenna; 1 where there are none.
  var gains: [Complex<Double>] = []
  /// By how many taps each antenna's row is later than antenna 0's.
  var shifts: [Double] = []

  func response(using random: inout StatisticsRandom) -> ChannelImpulseResponse {
    var samples: [Complex<Float>] = []
    for (antenna, position) in array.positions.enumerated() {
      for tap in 0..<tapCount {
        var value =
          noiseVariances.isEmpty ? .zero : random.complexGaussian(variance: noiseVariances[antenna])
        for wave in waves {
          let direction = Direction.unitVector(azimuth: wave.azimuth, elevation: wave.elevation)
          let ahead = (position * direction).sum() / UWB.speedOfLightInAir
          let delay = wave.delayTaps + (shifts.isEmpty ? 0 : shifts[antenna])
          let pulse = PulseShape.standard((Double(tap) - delay) * UWB.tap + ahead)
          value +=
            (gains.isEmpty ? .one : gains[antenna]) * wave.amplitude
            * Complex(length: abs(pulse), phase: 2 * .pi * array.carrier * ahead + (pulse < 0 ? .pi : 0))
        }
        samples.append(Complex(Float(value.real), Float(value.imaginary)))
      }
    }
    return ChannelImpulseResponse(samples, antennaCount: array.positions.count)
  }

  static func prepare(_ response: ChannelImpulseResponse) -> [PreparedTaps] {
    (0..<response.antennaCount).map { antenna in
      let taps = PreparedTaps(tapCount: response.tapCount)
      taps.load(response, antenna: antenna)
      return taps
    }
  }
}
