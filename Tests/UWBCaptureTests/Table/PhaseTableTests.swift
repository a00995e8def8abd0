import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

@Suite struct PhaseTableTests {
  static let head = "Real Azimuth,Real Elevation,NLOS,Distance,AoA1,AoA2,RSSI,PDoA1,PDoA2\n"
  static let rows = [
    "60,-12,0,203,60.0,-7.0,-75.0,-150.0625,-27.109375\n", "-48,24,1,200,59.5,-8.2,-75.0,148.5,-29.59375\n",
    "0,0,0,65535,,,-75.0,0,90\n",
  ]
  static let degree = Double.pi / 180

  static func read(
    _ text: some Sequence<UInt8>, columns: TableColumns = TableColumns()
  ) throws -> (exchanges: [RangingExchange], skipped: [String: Int]) {
    var options = CaptureOptions()
    options.columns = columns
    var reader = try MeasurementTable(ByteSource(content: Array(text)), kind: .phases, options: options)
    var exchanges: [RangingExchange] = []
    while let exchange = try reader.next() { exchanges.append(exchange) }
    #expect(Set(reader.skipped.firstPlaces.keys) == Set(reader.skipped.counts.keys), "each reason has a place")
    return (exchanges, reader.skipped.counts)
  }

  @Test("degrees and centimetres come out as radians and metres, with truth and what the chip said")
  func whole() throws {
    let (exchanges, skipped) = try Self.read((Self.head + Self.rows.joined()).utf8)
    #expect(exchanges.map(\.index) == [0, 1, 2] && skipped.isEmpty)
    let first = exchanges[0]
    let differences = try #require(first.phaseDifferences)
    #expect(
      abs(differences[0] + 150.0625 * Self.degree) < 1e-12 && abs(differences[1] + 27.109375 * Self.degree) < 1e-12)
    #expect(abs((first.truth?.azimuth ?? 0) - 60 * Self.degree) < 1e-12)
    #expect(abs((first.truth?.elevation ?? 0) + 12 * Self.degree) < 1e-12)
    #expect(first.truth?.isLineOfSight == true && exchanges[1].truth?.isLineOfSight == false)
    #expect(abs((first.chipReport?.distance ?? 0) - 2.03) < 1e-12)
    #expect(abs((first.chipReport?.azimuth ?? 0) - 60 * Self.degree) < 1e-12)
    #expect(abs((first.chipReport?.elevation ?? 0) + 7 * Self.degree) < 1e-12)
    // 65535 cm stands for none, and an empty field is absent.
    #expect(exchanges[2].chipReport?.distance == nil && exchanges[2].chipReport?.azimuth == nil)
  }

  @Test("found by its content", arguments: ["", "# a board\n", "\n", "\u{FEFF}"])
  func recognised(before: String) throws {
    var reader = try openCapture(ByteSource(content: Array((before + Self.head + Self.rows[0]).utf8)))
    #expect(reader.header.format == "phase-table")
    #expect(try reader.next()?.phaseDifferences?.count == 2)
  }

  @Test(
    "headers of other makers",
    arguments: [
      ("pdoa1_deg;x", "gt_azimuth,gt_elevation,pdoa_1,pdoa_2,distance_m,time_ms", "10,5,90,-45,2.5,1000", 1.0),
      (
        "rad", "True Azimuth (rad),True Elevation [rad],PDoA1 (rad),PDoA2 (rad),Range (m),time_s",
        "0.17453292519943295,0.08726646259971647,1.5707963267948966,-0.7853981633974483,2.5,1", 1.0
      ),
      (
        "mm", "AZIMUTH_TRUE,elevation_true,Phase Difference 1,Phase Difference 2,distance_mm,t", "10,5,90,-45,2500,1",
        1.0
      ),
    ])
  func variants(_ name: String, _ header: String, _ row: String, _ unused: Double) throws {
    let (exchanges, skipped) = try Self.read("\(header)\n\(row)\n\(row)\n".utf8)
    #expect(skipped.isEmpty && exchanges.count == 2)
    let exchange = try #require(exchanges.first)
    #expect(abs((exchange.phaseDifferences?.first ?? 0) - .pi / 2) < 1e-12, "\(name)")
    #expect(abs((exchange.phaseDifferences?.last ?? 0) + .pi / 4) < 1e-12, "\(name)")
    #expect(abs((exchange.truth?.azimuth ?? 0) - 10 * Self.degree) < 1e-12, "\(name)")
    #expect(abs((exchange.truth?.elevation ?? 0) - 5 * Self.degree) < 1e-12, "\(name)")
    #expect(abs((exchange.chipReport?.distance ?? 0) - 2.5) < 1e-12, "\(name)")
  }

  @Test("columns by name")
  func named() throws {
    let columns = try TableColumns("phase1=Delta A,azimuth=Pan")
    let (exchanges, _) = try Self.read("Pan,Delta A,PDoA2\n-30,90,4\n".utf8, columns: columns)
    #expect(abs((exchanges.first?.phaseDifferences?.first ?? 0) - .pi / 2) < 1e-12)
    #expect(abs((exchanges.first?.truth?.azimuth ?? 0) + 30 * Self.degree) < 1e-12)
    let missing = #expect(throws: CaptureError.self) { try Self.read("Pan,Delta B\n-30,90\n".utf8, columns: columns) }
    #expect(missing?.problem.contains("Delta A") == true)
    #expect(throws: CaptureError.self) { try TableColumns("colour=red") }
    #expect(throws: CaptureError.self) { try TableColumns("phase1") }
    #expect(throws: CaptureError.self) { try Self.read("a,b\n1,2\n".utf8) }
  }

  @Test(
    "fields without sense are counted and passed over",
    arguments: [
      ("60,0,0,203,60,-7,-75,x,-27\n", "badField"), ("60,0,0,203,60,-7,-75,999,-27\n", "badField"),
      ("60,95,0,203,60,-7,-75,1,2\n", "badField"), ("60,0,maybe,203,60,-7,-75,1,2\n", "badField"),
      ("60,0,0,203,60,-7,-75,nan,2\n", "badField"), ("60,0,0,1e999,60,-7,-75,1,2\n", "badField"),
      ("60,0,0,203\n", "fieldCount"), ("60,0,0,203,60,-7,-75,1,2,3\n", "fieldCount"),
      ("", "lineTooLong"),
    ])
  func damaged(_ given: String, _ reason: String) throws {
    let row = given.isEmpty ? String(repeating: "7", count: 70_000) + "\n" : given
    let (exchanges, skipped) = try Self.read((Self.head + Self.rows[0] + row + Self.rows[1]).utf8)
    #expect(exchanges.count == 2 && exchanges.map(\.index) == [0, 1])
    #expect(skipped == [reason: 1])
  }

  @Test("a row without phases keeps its distance")
  func noPhases() throws {
    let (exchanges, skipped) = try Self.read((Self.head + "60,0,0,203,60,-7,-75,,5\n").utf8)
    #expect(exchanges.first?.phaseDifferences?.isEmpty == true && skipped.isEmpty)
    #expect(abs((exchanges.first?.chipReport?.distance ?? 0) - 2.03) < 1e-12)
  }

  @Test func cutAtEveryByte() throws {
    let text = Array((Self.head + Self.rows.joined()).utf8)
    let ends = text.indices.filter { text[$0] == 0x0A }.map { $0 + 1 }
    let whole = try Self.read(text).exchanges
    for cut in text.indices {
      guard cut >= ends[0] - 8 else {
        // No header with a phase difference: an error, not a crash.
        #expect(throws: CaptureError.self) { try Self.read(text[..<cut]) }
        continue
      }
      let (exchanges, skipped) = try Self.read(text[..<cut])
      let count = ends.dropFirst().filter { $0 <= cut }.count
      #expect(exchanges.count >= count, "cut at \(cut)")
      for (read, made) in zip(exchanges, whole).prefix(count) where cut >= ends[0] {
        #expect(read.phaseDifferences == made.phaseDifferences, "cut at \(cut)")
      }
      let isCutInRow = cut > ends[0] && !ends.contains(cut)
      #expect(exchanges.count + skipped.values.reduce(0, +) == count + (isCutInRow ? 1 : 0), "cut at \(cut)")
    }
  }

  @Test func mutatedTenThousandTimes() throws {
    let text = Array((Self.head + Self.rows.joined()).utf8)
    let ends = text.indices.filter { text[$0] == 0x0A }.map { $0 + 1 }
    let made = try Self.read(text).exchanges
    var random = DecaRangingGenerator(seed: 17)
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        text, most: 4, [.flippedBit, .otherByte, .lostByte, .strayByte], using: &random)
      let (mutated, first) = (mutation.bytes, mutation.firstError)
      do {
        let (exchanges, skipped) = try Self.read(mutated)
        #expect(exchanges.count + skipped.values.reduce(0, +) <= 8, "seed 17, round \(round)")
        let whole = ends.dropFirst().count { $0 <= first }
        #expect(
          exchanges.prefix(whole).map { SigMFTests.bits($0) } == made.prefix(whole).map { SigMFTests.bits($0) },
          "seed 17, round \(round)")
        // A row that begins with # has become a comment, and columns may have got other names.
        let isComment = mutated.contains(UInt8(ascii: "#"))
        #expect(
          exchanges.count >= made.count || isComment || !skipped.isEmpty, "seed 17, round \(round): lost in silence")
        for exchange in exchanges {
          #expect((exchange.phaseDifferences ?? []).allSatisfy { abs($0) <= 2.1 * .pi }, "seed 17, round \(round)")
        }
      } catch let error as CaptureError {
        #expect(!error.problem.isEmpty && !error.remedy.isEmpty, "seed 17, round \(round)")
      }
    }
  }
}
