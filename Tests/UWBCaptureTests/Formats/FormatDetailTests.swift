import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// What each format has of its own, on lines written by hand.
@Suite struct FormatDetailTests {
  private func read(_ format: String, _ text: String) throws -> CaptureReading {
    try CaptureReading(format, Array(text.utf8))
  }

  // MARK: uwb-core

  @Test func uwbCoreFirstPathAndPower() throws {
    let reading = try read(
      "uwb-core",
      #"{"utime": 1099511627775,"cir_type": "sts1","raw_ts": 1,"resam_dly": 3,"fp_idx": 745.3125,"fp_power": -84.5,"#
        + #""angle": nan,"acc_cnt": 64,"offset": 8,"real": [1,-2,3,4,5,6,7,8,900000,10],"imag": [0,0,0,0,0,0,0,0,-5,0]}"#
        + "\n")
    let reception = try #require(reading.exchanges.first?.poll.reception)
    // Taps begin at ⌈745.3125⌉ − 8 = 738: the first path is 7.3125 taps behind that.
    #expect(reception.chipFirstPathTaps == 7.3125)
    #expect(reception.firstPathPowerdBm == -84.5)
    #expect(reception.preambleCount == 64)
    #expect(reception.time.ticks == 1_099_511_627_775)
    #expect(reception.impulseResponse?.samples()[8].real == 14062.5)
    #expect(reading.header.notes.contains("CIR type: sts1"))
  }

  @Test func uwbCoreWithoutTapsIsAReception() throws {
    let reading = try read("uwb-core", #"{"utime":5,"cir_type":"ipatov","fp_idx":-inf,"acc_cnt":0}"# + "\n")
    #expect(reading.exchanges.count == 1)
    #expect(reading.exchanges[0].poll.reception?.impulseResponse == nil)
    #expect(reading.skipped.isEmpty)
  }

  @Test(arguments: [
    #"{"utime":5,"cir_type":"ipatov","real":[1,2],"imag":[1]}"#, #"{"utime":5,"cir_type":"ipatov","real":[1,2]}"#,
    #"{"utime":-5,"cir_type":"ipatov"}"#, #"{"utime":1099511627776,"cir_type":"ipatov"}"#,
    #"{"utime":5,"cir_type":"ipatov","real":[1.5],"imag":[1]}"#, #"{"utime":5,"cir_type":"ipatov"} x"#,
    #"{"utime":5,"cir_type":"ipatov","real":[99999999],"imag":[1]}"#, #"{"utime":5,"cir_type":7}"#,
    #"{"utime":5,"cir_type":"ipatov","real":[[1]],"imag":[1]}"#,
  ])
  func uwbCoreLinesWithoutSense(_ line: String) throws {
    let reading = try read("uwb-core", line + "\n")
    #expect(reading.exchanges.isEmpty)
    #expect(reading.skipped == ["damagedLine": 1])
  }

  @Test func uwbCoreTimeUnwraps() throws {
    let lines = [999_999_999_999, 40_000_000_000, 140_000_000_000].map {
      "{\"utime\":\($0),\"cir_type\":\"ipatov\"}\n"
    }.joined()
    let times = try read("uwb-core", lines).exchanges.map(\.time)
    let wrapped = Double((1 << 40) - 999_999_999_999 + 40_000_000_000) * UWB.tick
    #expect(times == [0, wrapped, wrapped + Double(100_000_000_000) * UWB.tick] || abs(times[2] - 3.75) < 1)
    #expect(times == times.sorted())
  }

  @Test func uwbCoreHugeArraysAreRefused() throws {
    let many = [String](repeating: "1", count: 5000).joined(separator: ",")
    let reading = try read("uwb-core", "{\"utime\":5,\"cir_type\":\"x\",\"real\":[\(many)],\"imag\":[\(many)]}\n")
    #expect(reading.skipped == ["damagedLine": 1])
  }

  // MARK: Contiki-UWB

  @Test func contikiByHand() throws {
    let hexadecimal = try read("contiki-uwb", "CIR[740:4] 0a00f6ff1e00e2ff32000a0014000100\n")
    let readable = try read("contiki-uwb", "CIR[740:4] 10-10j,30-30j,50+10j,20+1j,\n")
    let wanted = MadeUpCapture.Expected([10, 30, 50, 20], [-10, -30, 10, 1])
    #expect(hexadecimal.expected == [wanted])
    #expect(readable.expected == [wanted])
    #expect(hexadecimal.header.notes.contains("a CIR's tap 0 is tap 740 of the accumulator"))
  }

  @Test(arguments: [
    ("CIR[0:4] 0a00f6ff", "damagedLine"), ("CIR[0:1] 0a00f6ff00", "damagedLine"), ("CIR[0:1] 0a00f6fg", "damagedLine"),
    ("CIR[0:0] ", "implausibleLength"), ("CIR[0:99999] 00", "implausibleLength"), ("CIR[-1:1] 00000000", "damagedLine"),
    ("CIR[0:1] 40000+1j,", "damagedLine"), ("CIR[0;1] 00000000", "damagedLine"),
  ])
  func contikiLinesWithoutSense(_ line: String, _ reason: String) throws {
    let reading = try read("contiki-uwb", line + "\n")
    #expect(reading.exchanges.isEmpty)
    #expect(reading.skipped == [reason: 1])
  }

  @Test func contikiBehindALogsPrefix() throws {
    let reading = try CaptureReading(
      openCapture(ByteSource(text: "boot ok\n[node 3] 17.2 CIR[0:1] 01000200\n")))
    #expect(reading.header.format == "contiki-uwb")
    #expect(reading.expected == [MadeUpCapture.Expected([1], [2])])
  }

  // MARK: DW3000

  @Test func dw3000SignIsBit17() throws {
    // 0x01FFFF is the largest, 0x020000 the smallest number; what stands above bit 17 does not count.
    let reading = try read(
      "dw3000-cir", "CIR_BEGIN,P:1,N:2,FP_RAW:96,ACC:2\nCIR,0,FFFF01000002\nCIR,1,FFFFFFFFFF03\nCIR_END,P:1\n")
    var wanted = MadeUpCapture.Expected([131_071, -1], [-131_072, -1])
    wanted.firstPath = 1.5
    wanted.preambleCount = 2
    #expect(reading.expected == [wanted])
  }

  @Test func dw3000RowsInDecimals() throws {
    let reading = try read(
      "dw3000-cir",
      "CIR_BEGIN,17\r\nCIR,17,700,12,-5,169\r\nCIR,17,701,-100,7,10049\r\nCIR_END\r\n"
        + "CIR_BEGIN,18\r\nCIR,18,700,1,2,5\r\nCIR,17,701,1,2,5\r\nCIR_END\r\n"
        + "CIR_BEGIN,19\r\nCIR,19,700,1,2,5\r\nCIR_END\r\n")
    #expect(reading.expected == [MadeUpCapture.Expected([12, -100], [-5, 7]), MadeUpCapture.Expected([1], [2])])
    #expect(reading.skipped == ["damagedAccumulator": 1, "fewerTaps": 1])
  }

  @Test(arguments: [
    ("CIR_BEGIN,N:2\nCIR,0,000000000000\nCIR_END\n", ["damagedAccumulator": 1]),
    ("CIR_BEGIN,N:1\nCIR,0,000000000000\nCIR,1,000000000000\nCIR_END\n", ["damagedAccumulator": 1]),
    ("CIR_BEGIN,N:2\nCIR,0,000000000000\nCIR,2,000000000000\nCIR_END\n", ["damagedAccumulator": 1]),
    ("CIR_BEGIN,P:1\nCIR,0,000000000000\nCIR_END,P:2\n", ["damagedAccumulator": 1]),
    ("CIR_BEGIN,P:1\nCIR,0,00000000000\nCIR_END,P:1\n", ["damagedAccumulator": 1]),
    ("CIR_BEGIN,N:99999\nCIR,0,000000000000\nCIR_END\n", ["implausibleLength": 1]),
    ("CIR,0,000000000000\nCIR,1,000000000000\nCIR_END\n", ["strayRow": 1]),
    ("CIR_BEGIN\nCIR_BEGIN\n", ["damagedAccumulator": 2]),
  ])
  func dw3000BlocksWithoutSense(_ text: String, _ reasons: [String: Int]) throws {
    let reading = try read("dw3000-cir", text)
    #expect(reading.exchanges.isEmpty)
    #expect(reading.skipped == reasons)
  }

  // MARK: eWINE

  @Test func ewineByHand() throws {
    let header = (MadeUpCapture.ewineFields + ["CIR0", "CIR1", "CIR2"]).joined(separator: ",")
    let row = "1,6.18,749.0,4889.0,13876.0,10464.0,240,9048.0,3668,1024,2,39,1024,110,64"
    let reading = try CaptureReading(
      openCapture(ByteSource(text: "\u{FEFF}\(header)\r\n\(row),34,4.25e1,50.123456789012345678\r\n")))
    let reception = try #require(reading.exchanges.first?.poll.reception)
    #expect(reading.header.format == "ewine")
    #expect(!reading.header.hasPhase)
    #expect(reading.header.notes.contains { $0.contains("no direction") })
    #expect(reading.expected[0].real == [34, 42.5, 50.12345678901235])
    #expect(reading.exchanges[0].truth?.isLineOfSight == false)
    // 10·lg((4889² + 13876² + 10464²)/1024²) − 121.74 and 10·lg(9048·2¹⁷/1024²) − 121.74, worked by hand.
    #expect(abs((reception.firstPathPowerdBm ?? 0) - -96.81461) < 1e-3)
    #expect(abs((reception.receivedPowerdBm ?? 0) - -91.20537) < 1e-3)
  }

  @Test(arguments: ["1,2", "", "2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1", "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,x"])
  func ewineRowsWithoutSense(_ row: String) throws {
    let header = (MadeUpCapture.ewineFields + ["CIR0"]).joined(separator: ",")
    let reading = try read("ewine", "\(header)\n\(row)\n")
    #expect(reading.exchanges.isEmpty)
    #expect(reading.skipped == (row.isEmpty ? [:] : ["damagedRow": 1]))
  }

  // MARK: NumPy

  private func array(_ type: String, _ shape: String, _ body: [UInt8], _ options: CaptureOptions = .init()) throws
    -> CaptureReading
  {
    try CaptureReading("npy", MadeUpCapture.npyHeader(type, shape: shape) + body, options: options)
  }

  @Test(arguments: ["<i2", "[('re', '<i2'), ('im', '<i2')]"]) func numpyPairsOfIntegers(_ type: String) throws {
    let isRecord = type.hasPrefix("[")
    let body: [UInt8] = [1, 0, 0xFF, 0xFF, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0]
    let antennas = try array(type, isRecord ? "(2, 2)" : "(2, 2, 2)", body)
    let response = try #require(antennas.exchanges.first?.poll.reception?.impulseResponse)
    #expect(antennas.exchanges.count == 1 && response.antennaCount == 2 && response.format == .int16)
    #expect(response.samples(antenna: 1).map { [$0.real, $0.imaginary] } == [[4, 5], [6, 7]])
    var options = CaptureOptions(
      profile: "ideal", rows: .cirs, scale: 0.5, tapSpacing: 2e-9, firstPathTaps: 0.25)
    let cirs = try array(type, isRecord ? "(2, 2)" : "(2, 2, 2)", body, options)
    #expect(cirs.exchanges.count == 2 && cirs.header.profile == "ideal")
    let first = try #require(cirs.exchanges[0].poll.reception)
    #expect(first.chipFirstPathTaps == 0.25 && first.impulseResponse?.tapSpacing == 2e-9)
    #expect(first.impulseResponse?.samples()[0].imaginary == -0.5)
    options.rows = .antennas
    let one = try array(type, isRecord ? "(2, 1, 2)" : "(2, 1, 2, 2)", body)
    #expect(one.exchanges.count == 2)
  }

  @Test func numpyDoublePrecisionIsRoundedAndSaid() throws {
    let body = [1.0, -2.5].flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } }
    let reading = try array("<c16", "(1,)", body)
    #expect(reading.expected[0].real == [1] && reading.expected[0].imaginary == [-2.5])
    #expect(reading.header.notes.contains { $0.contains("rounded") })
  }

  @Test(arguments: [
    ("<f4", "(1, 4)", "False"), (">c8", "(4,)", "False"), ("<c8", "(4, 4)", "True"), ("<i2", "(4, 3)", "False"),
    ("<c8", "(1, 2, 3, 4)", "False"), ("<c8", "()", "False"), ("<c8", "(65, 4)", "False"), ("<c8", "(1, 0)", "False"),
    ("<c8", "(1, 64, 1048576)", "False"),
    ("<c8", "(1, 99999999999)", "False"), ("<c8", "(1, -4)", "False"), ("<c8", "(9999999999999999999999,)", "False"),
  ])
  func numpyHeadersWithoutSense(_ type: String, _ shape: String, _ order: String) throws {
    let bytes = MadeUpCapture.npyHeader(type, shape: shape, order: order) + [UInt8](repeating: 0, count: 64)
    let error = #expect(throws: CaptureError.self) { try CaptureReading("npy", bytes) }
    #expect(error?.remedy.isEmpty == false)
  }

  @Test func numpySurplusIsCounted() throws {
    let reading = try array("<c8", "(1, 1, 1)", [UInt8](repeating: 0, count: 9))
    #expect(reading.exchanges.count == 1 && reading.skipped == ["surplusBytes": 1])
  }
}
