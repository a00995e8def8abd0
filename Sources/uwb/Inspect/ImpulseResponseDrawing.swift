import Numerics
import UWBDSP
import UWBReport

/// Gathers what a picture of one CIR shows: magnitudes, levels, both first paths, the fitted pulse.
struct ImpulseResponseDrawing {
  let capture: String
  let exchange: Int
  let message: String
  let reception: Reception
  let response: ChannelImpulseResponse
  let engine: RangingEngine

  var picture: ImpulseResponsePicture {
    let magnitudes = (0..<response.antennaCount).map { antenna in
      response.samples(antenna: antenna).map { Double($0.length) }
    }
    var paths = ReceptionPaths()
    engine.findPaths(in: reception, into: &paths, using: engine.makeWorkspace(tapCount: response.tapCount))
    let estimate = paths.antennas.first ?? DelayEstimate()
    var picture = ImpulseResponsePicture(
      magnitudes: magnitudes, tapPeriod: response.tapSpacing, capture: capture, exchange: exchange, message: message,
      snrdB: estimate.snrdB, noiseFloor: estimate.noiseVariance.squareRoot(),
      threshold: estimate.threshold > 0 ? estimate.threshold : nil,
      chipFirstPath: reception.chipFirstPathTaps.map { ImpulseResponsePicture.Mark(taps: $0) })
    guard let first = estimate.firstPath else { return picture }
    picture.firstPath = ImpulseResponsePicture.Mark(taps: first.delayTaps, deviationTaps: first.deviationTaps)
    picture.laterPathsTaps = estimate.paths.dropFirst().map(\.delayTaps)
    picture.fittedPulse = fitted(estimate, around: first.delayTaps)
    picture.interpolated = interpolated(around: first.delayTaps)
    return picture
  }

  /// The sum of all fitted paths.
  private func fitted(_ estimate: DelayEstimate, around center: Double) -> ImpulseResponsePicture.Curve {
    let pulse = engine.configuration.profile.pulse
    let taps = stride(from: center - 8, through: center + 12, by: 1.0 / 16).map { $0 }
    let magnitudes = taps.map { tap in
      estimate.paths.reduce(Complex<Double>.zero) { sum, path in
        sum + path.amplitude * Complex(pulse((tap - path.delayTaps) * response.tapSpacing))
      }.length
    }
    return ImpulseResponsePicture.Curve(taps: taps, magnitudes: magnitudes)
  }

  private func interpolated(around center: Double) -> ImpulseResponsePicture.Curve? {
    let interpolation = BandLimitedInterpolation(windowTaps: 64, factor: 16)
    guard let start = Int(checked: center - 24, rounded: .down), start >= 0, start + 64 <= response.tapCount else {
      return nil
    }
    let fine = interpolation.interpolate(response.samples(taps: start..<(start + 64)))
    let shown = (16 * 12)..<(16 * 40)
    return ImpulseResponsePicture.Curve(
      taps: shown.map { Double(start) + Double($0) / 16 }, magnitudes: shown.map { Double(fine[$0].length) })
  }
}
