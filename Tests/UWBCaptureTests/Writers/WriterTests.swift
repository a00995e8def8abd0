import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

// Fields as the file names them.
private struct NDJSONHead: Decodable {
  var format: String
  var profile: String
  var notes: [String]
}

private struct NDJSONExchange: Decodable {
  struct Message: Decodable {
    struct ImpulseResponse: Decodable {
      var scale: Float
      var tapSpacingS: Double
      var real: [[Float?]]
      var imag: [[Float?]]
    }

    var transmittedTicks: UInt64?
    var firstPathTaps: Double?
    var cir: ImpulseResponse?
  }

  struct Truth: Decodable {
    var distanceM: Double?
  }

  var exchange: Int
  var timeS: Double
  var peer: String
  var poll: Message
  var final: Message?
  var truth: Truth?
}

@Suite struct WriterTests {
  private func write(
    _ exchanges: [RangingExchange], _ path: String, _ options: CaptureWriterOptions = CaptureWriterOptions()
  ) throws -> [String: Int] {
    let writer = try createCapture(path, header: SigMFTests.header, options: options)
    for exchange in exchanges { try writer.append(exchange) }
    try writer.finish()
    return writer.lost.counts
  }

  private func impulseResponses(_ exchanges: [RangingExchange]) -> [ChannelImpulseResponse] {
    exchanges.flatMap { $0.messages.compactMap { $0.reception?.impulseResponse } }
  }

  /// CIRs of one shape.
  private func uniform(_ count: Int, layout: SigMFLayout) -> [RangingExchange] {
    var random = DecaRangingGenerator(seed: 5)
    return (0..<count).map { index in
      let storage = TapStorage(byteCount: 6 * layout.tapByteCount)
      storage.withMutableBytes { bytes in
        for index in 0..<bytes.count / 4 {
          let value: UInt32 =
            layout.format == .int16
            ? .random(in: 0 ... .max, using: &random) : Float.random(in: -1...1, using: &random).bitPattern
          bytes.storeBytes(of: value, toByteOffset: 4 * index, as: UInt32.self)
        }
      }
      let response = ChannelImpulseResponse(
        storage: storage, format: layout.format, antennaCount: layout.antennaCount, tapCount: 6,
        antennaStride: layout.antennaCount > 1 ? 1 : 6, tapStride: layout.antennaCount, scale: 0.25)
      return RangingExchange(
        index: index, time: 0, peer: DeviceAddress(rawValue: 9),
        poll: RangingMessage(reception: Reception(time: DeviceTime(ticks: 1), impulseResponse: response)))
    }
  }

  @Test(arguments: [
    ("a.ndjson", CaptureWriterFormat.ndjson), ("x/b.JSONL", .ndjson), ("c.csv", .csv), ("d.npy", .npy), ("i.mat", .mat),
    ("e.sigmf-meta", .sigmf), ("f", .sigmf), ("g.sigmf", .sigmf), ("x.csv/h", .sigmf),
  ])
  func theEndingNamesTheFormat(_ path: String, _ format: CaptureWriterFormat) {
    #expect(CaptureWriterFormat(path: path) == format)
  }

  @Test(arguments: SigMFTests.layouts) func ndjsonHoldsEverything(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(40, layout: layout, seed: 51)
    let lost = try write(exchanges, folder.path + "/a.ndjson")
    let lines = try String(contentsOfFile: folder.path + "/a.ndjson", encoding: .utf8).split(separator: "\n")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let head = try decoder.decode(NDJSONHead.self, from: Data(lines[0].utf8))
    #expect(head.format == "uwb-capture" && head.profile == "dw1000" && head.notes == SigMFTests.header.notes)
    #expect(lines.count == 41)
    #expect(lost.keys.allSatisfy { $0 == "notFinite" })
    for (line, exchange) in zip(lines.dropFirst(), exchanges) {
      let fields = try decoder.decode(NDJSONExchange.self, from: Data(line.utf8))
      #expect(fields.exchange == exchange.index && fields.timeS == exchange.time)
      #expect(fields.peer == exchange.peer.description)
      #expect((fields.final != nil) == (exchange.final != nil))
      #expect(fields.poll.transmittedTicks == exchange.poll.transmitted?.ticks)
      #expect(fields.poll.firstPathTaps == exchange.poll.reception?.chipFirstPathTaps)
      #expect(fields.truth?.distanceM == exchange.truth?.distance)
      guard let response = exchange.poll.reception?.impulseResponse else {
        #expect(fields.poll.cir == nil)
        continue
      }
      let cir = try #require(fields.poll.cir)
      #expect(cir.scale == response.scale && cir.tapSpacingS == response.tapSpacing)
      for (rows, part) in [(cir.real, 0), (cir.imag, 1)] {
        for antenna in 0..<response.antennaCount {
          var expected: [Float?] = []
          response.forEachStoredPart(part, antenna: antenna) { _, stored in
            switch stored {
            case .int16(let sample): expected.append(Float(sample))
            case .float32(let sample): expected.append(sample.isFinite ? sample : nil)
            }
          }
          #expect(rows[antenna] == expected)
        }
      }
    }
  }

  @Test func csvIsATableOfMessagesAndAntennas() throws {
    let folder = try TemporaryFolder()
    let exchanges = uniform(3, layout: SigMFLayout(format: .int16, antennaCount: 2))
    let lost = try write(exchanges, folder.path + "/a.csv")
    #expect(lost == ["antennaPositions": 1, "notes": 3, "profile": 1])
    var table = try CSVTable(ByteSource(path: folder.path + "/a.csv"))
    #expect(table.header == CSVWriter.columns + (0..<6).flatMap { ["re\($0)", "im\($0)"] })
    var rows: [CSVTable.Row] = []
    while let row = try table.next() { rows.append(row) }
    #expect(rows.count == 6)
    for (number, row) in rows.enumerated() {
      let response = try #require(exchanges[number / 2].poll.reception?.impulseResponse)
      #expect(row.fields.count == table.header.count)
      #expect(row.number(table.column("antenna")) == Double(number % 2))
      #expect(row.number(table.column("scale")) == 0.25)
      let samples = (0..<6).map { tap in
        [row.number(table.column("re\(tap)")), row.number(table.column("im\(tap)"))].map { Float($0 ?? .nan) * 0.25 }
      }
      #expect(samples == response.samples(antenna: number % 2).map { [$0.real, $0.imaginary] })
    }
  }

  @Test func csvSaysWhatDidNotFit() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(30, layout: .single, seed: 52)
    let lost = try write(exchanges, folder.path + "/a.csv")
    let all = impulseResponses(exchanges)
    let first = try #require(all.first).tapCount
    #expect(lost["tapsBeyondColumns", default: 0] == all.map { max(0, $0.tapCount - first) }.reduce(0, +))
    let lines = try String(contentsOfFile: folder.path + "/a.csv", encoding: .utf8).split(separator: "\r\n")
    let widths = Set(lines.map { $0.split(separator: ",", omittingEmptySubsequences: false).count })
    #expect(widths.count == 1)
    #expect(
      lines.count == 1 + exchanges.map(\.messages.count).reduce(0, +))
  }

  @Test(arguments: SigMFTests.layouts) func numpyComesBack(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    let exchanges = uniform(4, layout: layout)
    let lost = try write(exchanges, folder.path + "/a.npy")
    #expect(lost["exchangeFields"] == 4 && lost["otherShape"] == nil)
    let reading = try CaptureReading(openCapture(folder.path + "/a.npy"))
    #expect(reading.exchanges.count == 4 && reading.skipped.isEmpty)
    for (one, other) in zip(impulseResponses(reading.exchanges), impulseResponses(exchanges)) {
      #expect(one.antennaCount == layout.antennaCount)
      for antenna in 0..<layout.antennaCount {
        #expect(one.samples(antenna: antenna) == other.samples(antenna: antenna))
      }
    }
  }

  @Test func numpyIntegersStayAsTheyAre() throws {
    let folder = try TemporaryFolder()
    let exchanges = uniform(2, layout: SigMFLayout(format: .int16, antennaCount: 3))
    let lost = try write(exchanges, folder.path + "/a.npy", CaptureWriterOptions(samples: .int16))
    #expect(lost["scale"] == 2)
    let reading = try CaptureReading(openCapture(folder.path + "/a.npy", options: CaptureOptions(scale: 0.25)))
    for (one, other) in zip(impulseResponses(reading.exchanges), impulseResponses(exchanges)) {
      #expect(one.format == .int16)
      for antenna in 0..<3 { #expect(one.samples(antenna: antenna) == other.samples(antenna: antenna)) }
    }
    let floats = try write(
      uniform(2, layout: SigMFLayout(format: .float32, antennaCount: 1)), folder.path + "/b.npy",
      CaptureWriterOptions(samples: .int16))
    #expect(floats["notIntegers"] == 2)
  }

  @Test func numpyHasOneShape() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(30, layout: .single, seed: 53)
    let lost = try write(exchanges, folder.path + "/a.npy")
    let all = impulseResponses(exchanges)
    #expect(lost["otherShape"] == all.count { $0.tapCount != all[0].tapCount })
  }

  @Test func anEmptyCaptureIsWritten() throws {
    let folder = try TemporaryFolder()
    for name in ["a.npy", "a.csv", "a.ndjson", "a.sigmf", "a.sigmf-meta"] {
      _ = try write([], folder.path + "/" + name)
    }
    for name in ["a.sigmf", "a.sigmf-meta"] {
      #expect(try CaptureReading(openCapture(folder.path + "/" + name)).exchanges.isEmpty)
    }
  }

  @Test func standardOutputHoldsTextAlone() {
    #expect(throws: CaptureError.self) { try createCapture("-", header: SigMFTests.header) }
    #expect(throws: CaptureError.self) { try createCapture("/nowhere/a.csv", header: SigMFTests.header) }
  }
}

/// Against NumPy itself, where it is installed.
@Suite(Python.hasSigMF)
struct NumPyPythonTests {
  @Test func numpyLoadsInOneLine() throws {
    let folder = try TemporaryFolder()
    let capture = MadeUpCapture.make("contiki-uwb", count: 3, tapCount: 4, seed: 2)
    let exchanges = try CaptureReading("contiki-uwb", capture.bytes).exchanges
    for samples in CaptureWriterOptions.Samples.allCases {
      let path = folder.path + "/\(samples.rawValue).npy"
      let writer = try createCapture(
        path, header: SigMFTests.header, options: CaptureWriterOptions(samples: samples))
      for exchange in exchanges { try writer.append(exchange) }
      try writer.finish()
      let (status, output) = try Python.run(
        """
        import sys, numpy
        a = numpy.load(sys.argv[1])
        print(a.dtype, a.shape)
        print(" ".join(str(int(v)) for v in a.view(numpy.float32 if a.dtype == numpy.complex64 else a.dtype).ravel()))
        """, path)
      #expect(status == 0)
      let numbers = capture.expected.flatMap { zip($0.real, $0.imaginary).flatMap { [Int($0), Int($1)] } }
      let head = samples == .complex64 ? "complex64 (3, 1, 4)" : "int16 (3, 1, 4, 2)"
      #expect(output == "\(head)\n\(numbers.map { "\($0)" }.joined(separator: " "))\n")
    }
  }

  @Test(arguments: ["<c8", "<c16", "i2", "record"]) func whatNumPySavesIsRead(_ type: String) throws {
    let folder = try TemporaryFolder()
    let (status, _) = try Python.run(
      """
      import sys, numpy
      kind = sys.argv[2]
      pairs = numpy.arange(24, dtype="<i2").reshape(2, 2, 3, 2) - 5
      if kind == "i2": a = pairs
      elif kind == "record": a = pairs.view([("re", "<i2"), ("im", "<i2")])[..., 0]
      else: a = (pairs[..., 0] + 1j * pairs[..., 1]).astype(kind)
      numpy.save(sys.argv[1], a)
      """, folder.path + "/a.npy", type)
    #expect(status == 0)
    let reading = try CaptureReading(openCapture(folder.path + "/a.npy"))
    #expect(reading.exchanges.count == 2 && reading.skipped.isEmpty)
    let second = try #require(reading.exchanges[1].poll.reception?.impulseResponse)
    #expect(second.antennaCount == 2 && second.samples(antenna: 1).map(\.real) == [13, 15, 17])
  }
}
