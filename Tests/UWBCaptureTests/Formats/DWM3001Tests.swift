import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// What the command-line firmware of a DWM3001CDK prints.
@Suite struct DWM3001Tests {
  private func read(_ text: String, chunk: Int = .max) throws -> CaptureReading {
    try CaptureReading(openCapture(ByteSource(text: text, chunk: chunk)))
  }

  private static let round = """
    SESSION_INFO_NTF: {session_handle=1, sequence_number=0, block_index=0, n_measurements=2\n\r [mac_address=0x0001, \
    status="SUCCESS", distance[cm]=-210, loc_az_pdoa=-90.00, loc_az=30.00, loc_el_pdoa=45.00, loc_el=-15.00, rmt_az=1.00, \
    rmt_el=2.00, RSSI[dBm]=-78.0]; [mac_address=0x00A2, status="SUCCESS", distance[cm]=35]}\n
    """

  @Test(arguments: [1, .max]) func version11(_ chunk: Int) throws {
    let failed =
      "SESSION_INFO_NTF: {session_handle=1, sequence_number=3, block_index=3, n_measurements=1\n\r "
      + "[mac_address=0x0001, status=\"RX_TIMEOUT\"]}\n"
    let reading = try read(Self.round + failed, chunk: chunk)
    #expect(reading.header.format == "dwm3001-cli" && reading.skipped == ["failedRound": 1])
    #expect(reading.exchanges.map(\.peer.rawValue) == [1, 0xA2] && reading.exchanges.map(\.index) == [0, 1])
    let first = try #require(reading.exchanges.first)
    #expect(first.ready?.distance == -2.1 && first.chipReport?.distance == -2.1)
    #expect(first.ready?.azimuth?.value == .pi / 6 && first.ready?.elevation?.value == -.pi / 12)
    #expect(first.phaseDifferences == [-.pi / 2, .pi / 4] && first.chipReport?.azimuth == .pi / 6)
    #expect(reading.exchanges[1].ready?.distance == 0.35 && reading.exchanges[1].phaseDifferences == nil)
  }

  @Test func version10() throws {
    let array =
      #"[{"Addr":"0x0000","Status":"Ok","D_cm":61,"LPDoA_deg":0.00,"LAoA_deg":0.00,"LFoM":0,"RAoA_deg":0.00,"CFO_100ppm":-639},"#
      + #"{"Addr":"0x0001","Status":"Err","D_cm":0}]"# + "\n"
    let object =
      #"{"Block":7, "results":[{"Addr":"0x0002","Status":"Ok","D_cm":100,"LPDoA_deg":18.0,"LAoA_deg":9.0,"LFoM":50}]}"#
      + "\n"
    let reading = try read(array + "JS004D{\"LSTN\":[49,2B,00,26],\"TS4ns\":\"0x1A2B3C4D\"}\n" + object)
    #expect(reading.skipped == ["failedRound": 1, "otherLine": 1])
    #expect(reading.exchanges.map(\.ready?.distance) == [0.61, 1])
    #expect(reading.exchanges[0].ready?.azimuth == nil && reading.exchanges[0].phaseDifferences == nil)
    let angle = try #require(reading.exchanges[1].ready?.azimuth)
    #expect(angle.value == .pi / 20 && angle.figureOfMerit == 0.5 && abs(angle.deviation - .pi / 18) < 1e-12)
    #expect(reading.exchanges[1].phaseDifferences == [.pi / 10])
  }

  @Test func mutated() throws {
    let text = Array((Self.round + Self.round).utf8)
    let whole = try read(Self.round + Self.round).exchanges
    let half = Self.round.utf8.count
    var random = DecaRangingGenerator(seed: 51)
    for round in 0..<4000 {
      let mutation = MutatedBytes(
        text, most: 3, [.flippedBit, .otherByte, .nine, .lostByte, .strayByte], using: &random)
      let reader = try CaptureFormat.open(
        "dwm3001-cli", ByteSource(content: mutation.bytes, chunk: round % 5 == 0 ? 13 : .max))
      let reading = try CaptureReading(reader)
      let untouched = mutation.firstError > half ? 2 : 0
      for (one, other) in zip(reading.exchanges, whole).prefix(untouched) {
        #expect(one.ready == other.ready && one.peer == other.peer, "seed 51, round \(round)")
      }
      #expect(reading.exchanges.count >= untouched, "seed 51, round \(round)")
      #expect(reading.exchanges.count >= 4 || !reading.skipped.isEmpty, "seed 51, round \(round): lost in silence")
      #expect(reading.exchanges.count <= 5, "seed 51, round \(round)")
    }
  }

  @Test func cutAtEveryByte() throws {
    let text = Self.round + Self.round
    let whole = try read(text).exchanges
    for cut in text.utf8.indices.enumerated().map(\.offset).dropFirst(60) {
      let reading = try read(String(decoding: text.utf8.prefix(cut), as: UTF8.self), chunk: cut % 3 == 0 ? 9 : .max)
      #expect(reading.exchanges.count <= whole.count, "cut at \(cut)")
      for (one, other) in zip(reading.exchanges, whole) {
        #expect(one.ready == other.ready && one.phaseDifferences == other.phaseDifferences, "cut at \(cut)")
      }
      // A result ends with the bracket that no unit has.
      let start = String(decoding: text.utf8.prefix(cut), as: UTF8.self)
      let count = { (part: String) in start.components(separatedBy: part).count - 1 }
      let wanted = count("]") - count("[cm]") - count("[dBm]")
      #expect(reading.exchanges.count == wanted, "cut at \(cut)")
      #expect(wanted % 2 == 0 || !reading.skipped.isEmpty, "cut at \(cut): lost in silence")
    }
  }

  @Test(arguments: [
    "[mac_address=0x0001, status=\"SUCCESS\", distance[cm]=x]}", "[mac_address=1, status=\"SUCCESS\", distance[cm]=1]}",
    "[mac_address=0x0001, distance[cm]=1]}", "[mac_address=0x0001, status=\"SUCCESS\"], distance[cm]=1",
    "[mac_address=0x0001, status=\"SUCCESS\", distance[cm]=1",
    "[mac_address=0x0001, status=\"SUCCESS\", distance[cm]=1, loc_az=999.0]}",
  ])
  func damage(_ result: String) throws {
    let reading = try read(
      Self.round + "SESSION_INFO_NTF: {session_handle=1, n_measurements=1\n " + result + "\n" + Self.round)
    #expect(reading.exchanges.count == 4 && reading.skipped == ["damagedResult": 1])
  }

  @Test func countsThatDontFit() throws {
    let text = Self.round.replacing("n_measurements=2", with: "n_measurements=3")
    #expect(try read(text + Self.round).skipped == ["missingResult": 1])
    #expect(try read(Self.round.replacing("n_measurements=2", with: "n_measurements=1")).skipped == ["strayResult": 1])
  }
}
