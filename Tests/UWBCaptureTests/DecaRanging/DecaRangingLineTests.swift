import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

@Suite struct DecaRangingLineTests {
  private func line(_ text: String) -> DecaRangingLine { DecaRangingLine(Array(text.utf8).span) }

  @Test func receptions() {
    #expect(
      line("21 4B Rx time = 1.0e+001 953B8FDBD7")
        == .reception(function: 0x21, sequence: 0x4B, time: DeviceTime(ticks: 0x95_3B8F_DBD7)))
    #expect(line("21 4B Rx time(un) = 1.0e+001 953B901800") == .unused)
    for cut in [
      "21 4B Rx time = 1.0e+001 953B8FDBD", "21 4B Rx time = ", "4B Rx time = 1.0 953B8FDBD7",
      "2X 4B Rx time = 1 953B8FDBD7",
    ] {
      #expect(line(cut) == .damagedReception, "\(cut)")
    }
  }

  @Test func transmissions() {
    #expect(line("   Adding Antenna Delay = 0097 76DA1A45") == .transmission(DeviceTime(ticks: 0x97_76DA_1A45)))
    #expect(line("   Adding Antenna Delay = 0097 76DA1A4") == .damaged)
    #expect(line("TX Frame TimeStamp Raw  = 97 76DA1A45") == .unused)
    #expect(line("05 Tx time = 1.018088420781062e+001") == .unused)
  }

  @Test func taps() {
    #expect(line("-12, 34") == .tap(real: -12, imaginary: 34))
    #expect(line(" 1,2 ") == .tap(real: 1, imaginary: 2))
    #expect(line("99999, -99999") == .tap(real: 99999, imaginary: -99999))
    for text in ["12", "12,", "a, 1", "1, 2, 3", "9999999999, 1"] { #expect(line(text) == .unknown, "\(text)") }
    #expect(line("Accum Len 1016") == .accumulator(tapCount: 1016))
    #expect(line("Accum Len x") == .accumulator(tapCount: nil))
    #expect(line("") == .blank)
    #expect(line("  \t") == .blank)
  }

  @Test func quality() {
    let text =
      "RX OK WInd(0735), HLP(0745.3125), PSC(0274), SLP(0000.0000), RC(0095 3B8FDBD7), DCR(0), NTH(077A), RSL(-078.9641), FSL(-081.7507)"
    var expected = DecaRangingLine.Quality(
      firstPathTaps: 745.3125, preambleCount: 274, noiseThreshold: 0x77A, receivedPowerdBm: -78.9641,
      firstPathPowerdBm: -81.7507, time: DeviceTime(ticks: 0x95_3B8F_DBD7))
    #expect(line(text) == .quality(expected))
    expected.receivedPowerdBm = nil
    #expect(line(text.replacing("-078.9641", with: "-001.#INF")) == .quality(expected), "not finite is no damage")
    expected.isDamaged = true
    #expect(line(text.replacing("-078.9641", with: "-078.9?41")) == .quality(expected))
    #expect(line("RX E\0 WInd(0735), PSC(0264)") == .receiveError)
    #expect(line("RX EC WInd(0735), PSC(0264)") == .receiveError)
  }

  @Test func reports() {
    #expect(
      line(
        "Anchor ToF: 8.986 ns Dist: 2.693148 m DistRaw: -2.5 m DistScal: 2.6 m Bias: -0.090 m ClockOffset: 1.814 ppm")
        == .report(ChipReport(distance: 2.693148, rawDistance: -2.5, clockOffsetppm: 1.814)))
    #expect(line("Anchor ToF: 8.986 ns Dist: 2.693148 m DistRaw: 2.60") == .damaged)
    #expect(
      line("Ra  000000023b4a86af Db 000000023b4a3e6e") == .pollToResponse(tag: 0x2_3B4A_86AF, anchor: 0x2_3B4A_3E6E))
    #expect(
      line("Rb  00000002f9b76319 Da 00000002f9b7b951") == .responseToFinal(anchor: 0x2_F9B7_6319, tag: 0x2_F9B7_B951))
    #expect(line("Ra  000000023b4a86af Db 000000023b4a3e") == .damaged)
    #expect(line("Ra1  539.597731 Db1 250.118940  ns") == .unused)
    #expect(line("File:a.log, created by DecaRanging") == .note("File:a.log, created by DecaRanging"))
    #expect(line("hello") == .unknown)
  }

  @Test func decimalsAreReadExactly() {
    for (text, value) in [("0745.3125", 745.3125), ("-0.1", -0.1), ("123456789.012345", 123456789.012345), ("7.", 7.0)]
    {
      #expect(ByteText.decimal(Array(text.utf8).span, at: 0)?.value == value)
    }
    for text in ["", "-", ".", "1234567890123456", "x"] {
      #expect(ByteText.decimal(Array(text.utf8).span, at: 0) == nil, "\(text)")
    }
  }
}

@Suite struct DecaRangingFrameTests {
  private func final(function: UInt8 = 0x29, cut: Int = 0) -> [UInt8] {
    let octets: [UInt8] =
      [0x41, 0xCC, 0x4C, 0xCA, 0xDE] + [1, 2, 3, 4, 5, 6, 7, 8] + [9, 10, 11, 12, 13, 14, 15, 16] + [function]
      + [1, 0, 0, 0, 0xAA, 2, 0, 0, 0, 0xBB, 3, 0, 0, 0, 0xCC].dropLast(cut)
    let check = DecaRangingLogWriter.frameCheck(octets)
    return octets + [UInt8(check & 0xFF), UInt8(check >> 8)]
  }

  @Test func aFinalHoldsTheTagsTimes() throws {
    let frame = try #require(DecaRangingFrame(octets: final()))
    #expect(frame.sequence == 0x4C)
    #expect(frame.function == 0x29)
    #expect(frame.destination.rawValue == 0x0807_0605_0403_0201)
    #expect(frame.source.rawValue == 0x100F_0E0D_0C0B_0A09)
    #expect(frame.tagTimes?.pollTransmitted.ticks == 0xAA_0000_0001)
    #expect(frame.tagTimes?.responseReceived.ticks == 0xBB_0000_0002)
    #expect(frame.tagTimes?.finalTransmitted.ticks == 0xCC_0000_0003)
    #expect(frame.isIntact)
  }

  @Test func shortAddressesAndUncompressedNetworks() throws {
    let octets: [UInt8] = [0x01, 0x88, 7, 0xCA, 0xDE, 0x34, 0x12, 0xCA, 0xDE, 0x78, 0x56, 0x21, 0, 0]
    let frame = try #require(DecaRangingFrame(octets: octets))
    #expect(frame.destination.rawValue == 0x1234)
    #expect(frame.source.rawValue == 0x5678)
    #expect(!frame.isIntact)
  }

  @Test func everyCutIsRefused() {
    let whole = final()
    for count in 0..<whole.count { #expect(DecaRangingFrame(octets: Array(whole.prefix(count))) == nil) }
    #expect(DecaRangingFrame(octets: final(cut: 1)) == nil)
    #expect(DecaRangingFrame(octets: [0x01, 0x00] + whole.dropFirst(2)) == nil, "no addresses")
    #expect(DecaRangingFrame(hexadecimal: Array("RX DATA: 41c".utf8).span, from: 8) == nil)
    #expect(DecaRangingFrame(hexadecimal: Array(repeating: 0x30 as UInt8, count: 60000).span, from: 0) == nil)
  }

  /// CRC-16/KERMIT of the usual check text (Koopman's and Williams' catalogues).
  @Test func frameCheckKnownAnswer() {
    #expect(DecaRangingFrame.frameCheck(Array("123456789".utf8)) == 0x2189)
    #expect(DecaRangingLogWriter.frameCheck(Array("123456789".utf8)) == 0x2189)
  }
}
