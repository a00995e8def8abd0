import Foundation
import Testing
import UWBReport

/// Quiet taps, then an edge with a tail that falls off.
private func sampleResponse() -> [Double] {
  (0..<1016).map { index in
    let tap = Double(index)
    return index < 740 ? 100 + 40 * sin(tap * 1.7) : 18_000 * exp((740 - tap) / 12) + 90
  }
}

@Suite struct ImpulseResponsePictureTests {
  private let taps = sampleResponse()

  @Test func showsWhatItWasGiven() {
    let svg = ImpulseResponsePicture(
      magnitudes: [taps, taps.map { $0 / 2 }], capture: "12.log", exchange: 3, message: "poll", snrdB: 31.24,
      noiseFloor: 100, threshold: 500, chipFirstPath: .init(taps: 739.5),
      firstPath: .init(taps: 740.1, deviationTaps: 0.031)
    ).svg()
    expectSound(svg)
    let texts = PictureCheck(svg).texts
    #expect(texts.contains("12.log · exchange 3 · poll · SNR 31.2 dB"))
    #expect(
      texts.contains { $0.hasPrefix("first path 740.10 ± 0.031 taps · chip 739.50 taps · 0.60 taps (0.18 m) after") })
    #expect(texts.contains("first path ± σ") && texts.contains("chip's first path"))
    #expect(texts.contains("threshold −31.2 dB") && texts.contains("noise floor −45.1 dB"))
    #expect(texts.contains("antenna 1") && texts.contains("antenna 2"))
  }

  @Test func theFloorOfTheTapsAndThatWithoutTheRadiosPatternAreTwoLines() {
    let picture = { (cleaned: Double) in
      PictureCheck(
        ImpulseResponsePicture(magnitudes: [self.taps], noiseFloor: 100, cleanedNoiseFloor: cleaned).svg()
      ).texts
    }
    #expect(picture(50).contains("noise floor −45.1 dB"))
    #expect(picture(50).contains("less the radio's pattern −51.2 dB"))
    #expect(!picture(95).contains { $0.hasPrefix("less the radio's pattern") })
  }

  @Test func theCloseUpHoldsBothFirstPathsAndEndsWithTheTaps() {
    let picture = { (chip: Double, own: Double) in
      ImpulseResponsePicture(magnitudes: [self.taps], chipFirstPath: .init(taps: chip), firstPath: .init(taps: own))
        .closeUp
    }
    #expect(picture(760, 740.2) == 732...774)
    #expect(picture(1010, 1008) == 1000...1015)
  }

  @Test func unusableInputIsDrawnAllTheSame() {
    let strange: [[[Double]]] = [
      [], [[]], [[0]], [[5]], [[0, 0, 0]], [[.nan, .infinity, 1]], [[1e300, 1e-300]], [[-1, -2]],
      [[1, 2, 3], [], [4]],
    ]
    let numbers: [Double?] = [nil, 0, -1, .nan, .infinity, 1e300, 2]
    for magnitudes in strange {
      for number in numbers {
        let mark = number.map { ImpulseResponsePicture.Mark(taps: $0, deviationTaps: $0) }
        let curve = number.map { ImpulseResponsePicture.Curve(taps: [0, $0], magnitudes: [$0]) }
        let svg = ImpulseResponsePicture(
          magnitudes: magnitudes, firstTap: number == nil ? .max : 3, tapPeriod: number ?? 1e-9, snrdB: number,
          noiseFloor: number, cleanedNoiseFloor: number.map { $0 / 3 }, threshold: number, chipFirstPath: mark,
          firstPath: mark,
          laterPathsTaps: [number ?? 1], fittedPulse: curve, interpolated: curve, residual: curve
        ).svg()
        expectSound(svg)
      }
    }
  }

  @Test func anAllZeroResponseSaysSo() {
    let texts = PictureCheck(ImpulseResponsePicture(magnitudes: [[0, 0, 0, 0]]).svg()).texts
    #expect(texts.contains("every sample is zero or not finite"))
  }

  @Test(arguments: hostileNames) func aHostileNameIsOnlyText(_ name: String) {
    expectSound(ImpulseResponsePicture(magnitudes: [taps], capture: name, message: name).svg())
  }

  @Test func aWindowKeepsItsPlace() {
    let cut = ImpulseResponsePicture(
      magnitudes: [Array(taps[720..<800])], firstTap: 720, firstPath: .init(taps: 740))
    #expect(PictureCheck(cut.svg()).texts.contains("first path"))
  }
}
