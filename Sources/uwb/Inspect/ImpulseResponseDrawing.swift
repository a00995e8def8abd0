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
    // The engine's floor is that of taps without the radio's additive pattern. The picture shows them with it.
    let raw = PreparedTaps(tapCount: response.tapCount)
    raw.load(response, antenna: 0, keepsPattern: true)
    var picture = ImpulseResponsePicture(
      magnitudes: magnitudes, tapPeriod: response.tapSpacing, capture: capture, exchange: exchange, message: message,
      snrdB: estimate.snrdB, noiseFloor: raw.noiseVariance.squareRoot(),
      cleanedNoiseFloor: estimate.noiseVariance > 0 ? estimate.noiseVariance.squareRoot() : nil,
      threshold: estimate.threshold > 0 ? estimate.threshold : nil,
      chipFirstPath: reception.chipFirstPathTaps.map { ImpulseResponsePicture.Mark(taps: $0) })
    if let first = estimate.firstPath {
      picture.firstPath = ImpulseResponsePicture.Mark(taps: first.delayTaps, deviationTaps: first.deviationTaps)
      picture.laterPathsTaps = estimate.paths.dropFirst().map(\.delayTaps)
      picture.fittedPulse = fitted(estimate, over: picture.closeUp)
    }
    picture.interpolated = interpolated(over: picture.closeUp)
    return picture
  }

  /// The sum of all fitted paths.
  private func fitted(_ estimate: DelayEstimate, over range: ClosedRange<Double>) -> ImpulseResponsePicture.Curve {
    let pulse = engine.configuration.profile.pulse
    let taps = stride(from: range.lowerBound, through: range.upperBound, by: 1.0 / 16).map { $0 }
    let magnitudes = taps.map { tap in
      estimate.paths.reduce(Complex<Double>.zero) { sum, path in
        sum + path.amplitude * Complex(pulse((tap - path.delayTaps) * response.tapSpacing))
      }.length
    }
    return ImpulseResponsePicture.Curve(taps: taps, magnitudes: magnitudes)
  }

  /// The first antenna between its taps, from the first tap of `range` to its last. Where the CIR ends, zeros go on.
  private func interpolated(over range: ClosedRange<Double>) -> ImpulseResponsePicture.Curve? {
    let (margin, factor) = (24, 16)
    guard let first = Int(checked: range.lowerBound, rounded: .down),
      let last = Int(checked: range.upperBound, rounded: .up), first >= 0, last < response.tapCount, first < last
    else { return nil }
    let start = first - margin
    var width = 64
    while width < last + margin - start + 1 { width *= 2 }
    let there = max(start, 0)..<min(start + width, response.tapCount)
    var window = [Complex<Float>](repeating: .zero, count: width)
    window.replaceSubrange((there.lowerBound - start)..<(there.upperBound - start), with: response.samples(taps: there))
    let fine = BandLimitedInterpolation(windowTaps: width, factor: factor).interpolate(window)
    let shown = (margin * factor)...((last - start) * factor)
    return ImpulseResponsePicture.Curve(
      taps: shown.map { Double(start) + Double($0) / Double(factor) }, magnitudes: shown.map { Double(fine[$0].length) }
    )
  }
}
