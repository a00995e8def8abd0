import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

@Suite struct SigMFHostileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/x" }
  private let metadata: [UInt8]
  private let data: [UInt8]
  private let written: [String]
  /// Where the metadata hold each exchange's last segment.
  private let ends: [Int]

  init() throws {
    folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(4, layout: .single, seed: 11)
    try SigMFTests.write(exchanges, to: folder.path + "/x")
    metadata = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/x.sigmf-meta")))
    data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/x.sigmf-data")))
    written = exchanges.map { SigMFTests.bits($0) }
    // A segment a line, behind two lines of head; an exchange's first segment alone counts its messages.
    var ends: [Int] = []
    var start = 0
    for (number, line) in metadata.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      start += line.count + 1
      guard number >= 2, line.first == UInt8(ascii: "{") else { continue }
      if line.firstRange(of: Array("uwb:message_count".utf8)) == nil, !ends.isEmpty {
        ends[ends.count - 1] = start
      } else {
        ends.append(start)
      }
    }
    self.ends = ends
  }

  @Test func theEndsAreThoseOfTheExchanges() {
    #expect(ends.count == written.count && ends == ends.sorted())
  }

  private func write(metadata: [UInt8]? = nil, data: [UInt8]? = nil) throws {
    if let metadata { try Data(metadata).write(to: URL(fileURLWithPath: path + ".sigmf-meta")) }
    if let data { try Data(data).write(to: URL(fileURLWithPath: path + ".sigmf-data")) }
  }

  @Test func metadataCutAtEveryByte() throws {
    let lines = metadata.indices.filter { metadata[$0] == 0x0A }
    for cut in metadata.indices {
      try write(metadata: Array(metadata[..<cut]))
      do {
        let (read, reader) = try SigMFTests.read(path)
        #expect(read.map { SigMFTests.bits($0) } == Array(written.prefix(read.count)), "cut at \(cut)")
        #expect(read.count >= ends.count { $0 <= cut }, "cut at \(cut)")
        let isWhole = cut > lines[lines.count - 3]
        #expect(isWhole || !reader.skipped.isEmpty, "cut at \(cut): a loss was not told")
        #expect(!isWhole || read.count == written.count, "cut at \(cut)")
      } catch let error as CaptureError {
        #expect(cut < 1200 && !error.remedy.isEmpty, "cut at \(cut): \(error)")
      }
    }
  }

  @Test func dataCutAnywhereCostsTheCIRsThatAreGone() throws {
    for cut in data.indices {
      try write(data: Array(data[..<cut]))
      let (read, reader) = try SigMFTests.read(path)
      #expect(read.count == written.count)
      #expect(reader.skipped.counts["missingSamples", default: 0] > 0, "cut at \(cut)")
      let same = zip(read, written).prefix { SigMFTests.bits($0) == $1 }.count
      #expect(read.dropFirst(same).first?.index == same)
    }
  }

  @Test func mutatedTenThousandTimes() throws {
    var random = DecaRangingGenerator(seed: 21)
    let folder = try TemporaryFolder()
    try Data(data).write(to: URL(fileURLWithPath: folder.path + "/m.sigmf-data"))
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        metadata, most: 4, [.flippedBit, .nine, .lostByte, .strayByte], using: &random)
      let (mutated, first) = (mutation.bytes, mutation.firstError)
      try Data(mutated).write(to: URL(fileURLWithPath: folder.path + "/m.sigmf-meta"))
      do {
        let (read, reader) = try SigMFTests.read(folder.path + "/m")
        #expect(read.count <= written.count + 4, "seed 21, round \(round)")
        #expect(read.count >= written.count || !reader.skipped.isEmpty, "seed 21, round \(round)")
        let whole = ends.count { $0 <= first }
        #expect(read.prefix(whole).map { SigMFTests.bits($0) } == Array(written.prefix(whole)), "round \(round)")
      } catch let error as CaptureError {
        #expect(!error.problem.isEmpty && !error.remedy.isEmpty, "seed 21, round \(round)")
      }
    }
  }

  @Test(arguments: [
    ("core:sample_start", "-1"), ("core:sample_start", "9223372036854775807"), ("uwb:tap_count", "-5"),
    ("uwb:tap_count", "9223372036854775807"), ("uwb:scale", "1e999"), ("uwb:message", #""blink""#),
    ("uwb:transmitted_ticks", "-1"), ("uwb:exchange", #""x""#), ("uwb:tap_spacing_s", "0"),
  ])
  func fieldsWithoutSenseAreCounted(_ name: String, _ value: String) throws {
    var fields = [
      "core:sample_start": "0", "uwb:exchange": "0", "uwb:tap_count": "1", "uwb:message": #""poll""#,
      "uwb:message_count": "1", "uwb:time_s": "0", "uwb:peer": #""1""#, "uwb:initiator": #""peer""#,
      "uwb:received_ticks": "1",
    ]
    func segment() -> String { "{" + fields.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}" }
    let whole = segment()
    fields[name] = value
    let global =
      #"{"core:datatype":"ci16_le","core:version":"1.2.0","#
      + #""core:extensions":[{"name":"uwb","version":"0.1.0","optional":true}]}"#
    let text = #"{"annotations":[],"captures":[\#(whole),\#(segment())],"global":\#(global)}"#
    try write(metadata: Array(text.utf8))
    let (read, reader) = try SigMFTests.read(path)
    #expect(read.first?.poll.reception?.impulseResponse?.tapCount == 1)
    #expect(reader.skipped.counts.values.reduce(0, +) == 1, "\(text)")
  }

  @Test(arguments: [
    ("", "is empty"), ("{}", "holds no object of that name"), ("[]", "holds no object of that name"),
    (#"{"global":5}"#, "is no JSON object"), (#"{"global":{}}"#, "lacks the field “core:datatype”"),
    (#"{"global":{"core:datatype":"ci16_le","core:version":"1.2.0"}}"#, "lists no `uwb` extension"),
    (
      #"{"global":{"core:datatype":"ru8","core:version":"1.2.0","core:extensions":[{"name":"uwb","version":"1","optional":true}]}}"#,
      "ru8 × 1 can't be read"
    ),
    (
      #"{"global":{"core:datatype":"ci16_le","core:version":"1.2.0","core:num_channels":100000,"core:extensions":[{"name":"uwb","version":"1","optional":true}]}}"#,
      "ci16_le × 100000 can't be read"
    ),
    (
      #"{"global":{"core:datatype":"ci16_le","core:version":"1.2.0","core:extensions":[{"name":"uwb","version":"1","optional":true}]}}"#,
      "holds no array of that name"
    ),
  ])
  func metadataThatIsNone(_ text: String, _ problem: String) throws {
    try write(metadata: Array(text.utf8))
    let error = #expect(throws: CaptureError.self) { try SigMFReader(path: path) }
    #expect(error?.problem == problem)
  }

  @Test func missingFilesAreNamed() throws {
    try FileManager.default.removeItem(atPath: path + ".sigmf-data")
    let data = #expect(throws: CaptureError.self) { try SigMFReader(path: path) }
    #expect(data?.file == path + ".sigmf-data")
    let metadata = #expect(throws: CaptureError.self) { try openCapture(folder.path + "/none.sigmf-meta") }
    #expect(metadata?.problem == "there is no such file")
    let unwritable = #expect(throws: CaptureError.self) {
      try SigMFWriter(path: "/nowhere/x", header: SigMFTests.header)
    }
    #expect(unwritable?.file == "/nowhere/x.sigmf-data")
  }
}
