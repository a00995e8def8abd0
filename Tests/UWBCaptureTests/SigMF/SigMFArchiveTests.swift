import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

@Suite struct SigMFArchiveTests {
  private func write(
    _ exchanges: [RangingExchange], _ path: String, maximumByteCount: Int? = nil
  ) throws -> any CaptureWriter {
    let writer = try createCapture(
      path, header: SigMFTests.header, options: CaptureWriterOptions(maximumByteCount: maximumByteCount))
    for exchange in exchanges { try writer.append(exchange) }
    try writer.finish()
    return writer
  }

  private func read(_ path: String) throws -> (bits: [String], skipped: [String: Int], hash: Bool?) {
    var reader = try openCapture(path)
    var bits: [String] = []
    while let exchange = try reader.next() { bits.append(SigMFTests.bits(exchange)) }
    #expect(Set(reader.skipped.firstPlaces.keys) == Set(reader.skipped.counts.keys), "each reason has a place")
    return (bits, reader.skipped.counts, try (reader as? any HashedCapture)?.hashFits())
  }

  private func files(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test(arguments: SigMFTests.layouts) func anArchiveComesBackToTheBit(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(20, layout: layout, seed: 61)
    _ = try write(exchanges, folder.path + "/a.sigmf")
    #expect(try files(folder) == ["a.sigmf"])
    let found = try read(folder.path + "/a.sigmf")
    #expect(found.bits == exchanges.map { SigMFTests.bits($0) } && found.skipped.isEmpty && found.hash == true)
    #expect(try openCapture(folder.path + "/a.sigmf").header.array == SigMFTests.header.array)
  }

  @Test func equalCapturesGiveEqualArchives() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(5, layout: .single, seed: 62)
    for name in ["x", "y"] {
      try FileManager.default.createDirectory(atPath: folder.path + "/" + name, withIntermediateDirectories: true)
      _ = try write(exchanges, folder.path + "/\(name)/a.sigmf")
    }
    let archives = try ["x", "y"].map { try Data(contentsOf: URL(fileURLWithPath: folder.path + "/\($0)/a.sigmf")) }
    #expect(archives[0] == archives[1])
  }

  @Test func anArchiveCutAtEveryByte() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(3, layout: .single, seed: 63)
    _ = try write(exchanges, folder.path + "/a.sigmf")
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sigmf"))
    let bits = exchanges.map { SigMFTests.bits($0) }
    for cut in 0..<whole.count {
      try whole.prefix(cut).write(to: URL(fileURLWithPath: folder.path + "/b.sigmf"))
      do {
        let found = try read(folder.path + "/b.sigmf")
        #expect(found.skipped["truncatedArchive"] == 1, "cut at \(cut)")
        #expect(found.bits.count <= bits.count, "cut at \(cut)")
      } catch let error as CaptureError {
        #expect(!error.remedy.isEmpty && cut < whole.count - 1024, "cut at \(cut): \(error)")
      }
    }
  }

  @Test func archivesMutatedTenThousandTimes() throws {
    let folder = try TemporaryFolder()
    _ = try write(SigMFTests.exchanges(2, layout: .single, seed: 64), folder.path + "/a.sigmf")
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sigmf"))
    let headers = stride(from: 0, to: whole.count, by: 512).filter {
      whole[($0 + 257)..<($0 + 262)].elementsEqual("ustar".utf8)
    }
    #expect(headers.count >= 2)
    var random = DecaRangingGenerator(seed: 65)
    var read = 0
    for round in 0..<10_000 {
      var mutated = whole
      // Headers are what is particular to archives.
      let header = headers[round % headers.count]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = header + Int.random(in: 0..<512, using: &random)
        mutated[place] = round % 4 < 2 ? UInt8.random(in: 0...255, using: &random) : UInt8(ascii: "7")
      }
      if round % 3 == 0 {
        // A checksum that fits lets the damage through to what follows.
        for index in header + 148..<header + 156 { mutated[index] = 0x20 }
        let sum = String(mutated[header..<header + 512].reduce(0) { $0 + Int($1) }, radix: 8)
        for (index, digit) in ("000000" + sum).suffix(6).utf8.enumerated() { mutated[header + 148 + index] = digit }
      }
      try mutated.write(to: URL(fileURLWithPath: folder.path + "/b.sigmf"))
      do {
        _ = try self.read(folder.path + "/b.sigmf")
        read += 1
      } catch let error as CaptureError {
        #expect(!error.remedy.isEmpty, "seed 65, round \(round)")
      }
    }
    // Damage to what is not needed (owner, padding) refuses nothing.
    #expect(read > 0)
  }

  @Test func collectionsMutatedTenThousandTimes() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(6, layout: .single, seed: 69)
    _ = try write(exchanges, folder.path + "/a", maximumByteCount: 300)
    let bits = exchanges.map { SigMFTests.bits($0) }
    let path = folder.path + "/a.sigmf-collection"
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var random = DecaRangingGenerator(seed: 70)
    var wholeReads = 0
    for round in 0..<10_000 {
      let mutation = MutatedBytes(
        whole, most: 3, [.flippedBit, .otherByte, .nine, .lostByte, .strayByte], using: &random)
      try Data(mutation.bytes).write(to: URL(fileURLWithPath: path))
      do {
        let found = try read(path)
        #expect(found.bits == bits || !found.skipped.isEmpty, "seed 70, round \(round)")
        if found.bits == bits { wholeReads += 1 }
      } catch let error as CaptureError {
        #expect(!error.remedy.isEmpty, "seed 70, round \(round)")
      }
    }
    #expect(wholeReads > 0)
  }

  @Test func aLongCaptureRollsOver() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(40, layout: .single, seed: 66)
    let writer = try write(exchanges, folder.path + "/a", maximumByteCount: 300)
    #expect(writer.lost.isEmpty)
    let names = try files(folder)
    #expect(names.contains("a.sigmf-collection") && names.contains("a-0003.sigmf-meta"))
    for name in names where name.hasSuffix("data") {
      let size = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)[.size] as? Int
      #expect(size ?? 0 > 0, "\(name) has no samples")
    }
    let bits = exchanges.map { SigMFTests.bits($0) }
    for path in ["a", "a.sigmf-collection"] {
      let found = try read(folder.path + "/" + path)
      #expect(found.bits == bits && found.skipped.isEmpty && found.hash == true, "\(path)")
    }
    #expect(captureFiles(folder.path + "/a.sigmf-collection").count == names.count)
  }

  @Test func recordingsThatAreMissingChangedOrNotListed() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(40, layout: .single, seed: 67)
    _ = try write(exchanges, folder.path + "/a", maximumByteCount: 300)
    // What it doesn't list is of an older one, whatever its name.
    let path = folder.path + "/a.sigmf-collection"
    var file = try JSONDecoder().decode(
      SigMFCollection.File.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    let all = file.collection.streams
    file.collection.streams = Array(all.prefix(2))
    try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: path))
    let listed = try read(path)
    #expect(listed.bits.count < 40 && listed.bits.count > 0 && listed.skipped.isEmpty && listed.hash == true)
    file.collection.streams = all
    try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: folder.path + "/a-0001.sigmf-data")
    let found = try read(path)
    #expect(found.skipped["missingRecording"] == 1 && found.bits.count < 40 && found.bits.count > 0)
    // Another recording in the place of one of its own.
    let metadata = folder.path + "/a-0002.sigmf-meta"
    try (String(contentsOfFile: metadata, encoding: .utf8) + "\n").write(
      toFile: metadata, atomically: true, encoding: .utf8)
    let changed = try read(path)
    #expect(changed.skipped["changedRecording"] == 1 && changed.hash == false)
  }

  @Test func aLiveCollectionListsItsRecordingsFromTheirFirstExchange() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(40, layout: .single, seed: 74)
    let writer = try createCapture(
      folder.path + "/a", header: SigMFTests.header,
      options: CaptureWriterOptions(maximumByteCount: 300, isLive: true))
    for (index, exchange) in exchanges.enumerated() {
      try writer.append(exchange)
      let found = try read(folder.path + "/a")
      #expect(found.bits == exchanges[...index].map { SigMFTests.bits($0) } && found.skipped.isEmpty)
    }
    try writer.finish()
    #expect(try read(folder.path + "/a").hash == true)
  }

  /// A POSIX tar of small members.
  private func tar(_ members: [(name: String, bytes: Data)], endBlocks: Int = 2) -> Data {
    var tar = Data()
    for (name, bytes) in members {
      var header = [UInt8](repeating: 0, count: 512)
      let size = String(bytes.count, radix: 8)
      for (start, text) in [
        (0, name), (124, String(repeating: "0", count: 11 - size.count) + size), (156, "0"), (257, "ustar"),
      ] {
        for (index, byte) in text.utf8.enumerated() { header[start + index] = byte }
      }
      for index in 148..<156 { header[index] = 0x20 }
      let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
      for (index, digit) in ("000000" + sum).suffix(6).utf8.enumerated() { header[148 + index] = digit }
      header[154] = 0
      tar += header
      tar += bytes
      tar += Data(count: (512 - bytes.count % 512) % 512)
    }
    return tar + Data(count: 512 * endBlocks)
  }

  @Test func whatAnArchiveLacksIsCounted() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(4, layout: .single, seed: 73)
    try SigMFTests.write(exchanges, to: folder.path + "/a")
    let meta = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sigmf-meta"))
    let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.sigmf-data"))
    let whole = [("a/a.sigmf-meta", meta), ("a/a.sigmf-data", data)]
    let cases: [(members: [(String, Data)], endBlocks: Int, skipped: [String: Int])] = [
      (whole, 2, [:]), (whole, 20, [:]), (whole + [("README", data)], 2, [:]),
      (whole, 1, ["truncatedArchive": 1]), (whole, 0, ["truncatedArchive": 1]),
      (whole + [("b/b.sigmf-meta", meta)], 2, ["missingData": 1]),
      (whole + [("b.sigmf-data", data), ("c.sigmf-data", data)], 2, ["missingMetadata": 2]),
      (whole + [("./a/a.sigmf-data", data)], 2, ["repeatedMember": 1]),
      (whole + whole + whole, 2, ["repeatedMember": 4]),
    ]
    for (members, endBlocks, skipped) in cases {
      try tar(members, endBlocks: endBlocks).write(to: URL(fileURLWithPath: folder.path + "/t.sigmf"))
      let found = try read(folder.path + "/t.sigmf")
      #expect(found.bits == exchanges.map { SigMFTests.bits($0) } && found.skipped == skipped, "\(members.map(\.0))")
    }
    // A header that was lost takes its members along.
    let damaged = tar(whole, endBlocks: 1) + tar([("b/b.sigmf-meta", meta), ("b/b.sigmf-data", data)])
    try damaged.write(to: URL(fileURLWithPath: folder.path + "/t.sigmf"))
    #expect(try read(folder.path + "/t.sigmf").skipped["truncatedArchive"] == 1)
  }

  @Test func anotherLayoutBeginsAnotherRecording() throws {
    let folder = try TemporaryFolder()
    let one = SigMFTests.exchanges(10, layout: .single, seed: 68)
    var two = SigMFTests.exchanges(10, layout: SigMFLayout(format: .float32, antennaCount: 2), seed: 69)
    for index in two.indices { two[index].index += 10 }
    _ = try write(one + two, folder.path + "/a", maximumByteCount: 1 << 30)
    let found = try read(folder.path + "/a")
    #expect(found.bits == (one + two).map { SigMFTests.bits($0) } && found.skipped.isEmpty)
  }

  @Test(arguments: ["", "{}", #"{"collection":{"core:version":"1.2.0","core:streams":5}}"#])
  func collectionsThatAreNone(_ text: String) throws {
    let file = try TemporaryFile(Array(text.utf8), name: "x.sigmf-collection")
    #expect(throws: CaptureError.self) { try openCapture(file.path) }
  }

  /// The second one is what Foundation's own way to a path's last name crashes on.
  @Test(arguments: [
    "../../etc/x", "-0" + String(repeating: "/", count: 120) + "7/z" + String(repeating: "/", count: 10),
  ])
  func aNameMayNotLeadOutOfTheFolder(name: String) throws {
    let folder = try TemporaryFolder()
    let text = #"{"collection":{"core:version":"1.2.0","core:streams":[{"name":"\#(name)","hash":""}]}}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.sigmf-collection"))
    let (found, skipped) = try SigMFCollection.recordings(folder.path + "/a.sigmf-collection")
    #expect(found.isEmpty && skipped.counts == ["missingRecording": 1])
  }

  @Test func aChangedSampleBreaksTheHash() throws {
    let folder = try TemporaryFolder()
    _ = try write(SigMFTests.exchanges(5, layout: .single, seed: 70), folder.path + "/a")
    #expect(try read(folder.path + "/a").hash == true)
    let path = folder.path + "/a.sigmf-data"
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data[3] ^= 1
    try data.write(to: URL(fileURLWithPath: path))
    #expect(try read(folder.path + "/a").hash == false)
  }
}

/// Against the Python package `sigmf` and Python's own tar.
@Suite(Python.hasSigMF)
struct SigMFArchivePythonTests {
  @Test func pythonOpensOurArchivesAndCollections() throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(40, layout: .single, seed: 71)
    for (name, size) in [("a.sigmf", nil as Int?), ("c", 300)] {
      let writer = try createCapture(
        folder.path + "/" + name, header: SigMFTests.header, options: CaptureWriterOptions(maximumByteCount: size))
      for exchange in exchanges { try writer.append(exchange) }
      try writer.finish()
    }
    let (status, output) = try Python.run(
      """
      import sys, sigmf
      from sigmf import SigMFCollection
      folder = sys.argv[1]
      archive = sigmf.fromfile(folder + "/a.sigmf")
      archive = archive if isinstance(archive, sigmf.SigMFFile) else archive[0]
      archive.validate()
      print(len(archive.get_captures()))
      import json
      meta = json.load(open(folder + "/c.sigmf-collection"))
      collection = SigMFCollection(metafiles=[s["name"] + ".sigmf-meta" for s in meta["collection"]["core:streams"]],
                                   metadata=meta, base_path=folder)
      collection.verify_stream_hashes()
      count = 0
      for name in collection.get_stream_names():
          recording = collection.get_SigMFFile(stream_name=name)
          recording.validate()
          count += len(recording.get_captures())
      print(count)
      """, folder.path)
    #expect(status == 0)
    let counts = output.split(separator: "\n")
    #expect(counts.count == 2 && counts[0] == counts[1])
  }

  @Test(arguments: ["USTAR_FORMAT", "PAX_FORMAT", "GNU_FORMAT"])
  func pythonsTarsAreRead(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let exchanges = SigMFTests.exchanges(10, layout: .single, seed: 72)
    try SigMFTests.write(exchanges, to: folder.path + "/a")
    let (status, _) = try Python.run(
      """
      import sys, tarfile
      folder, kind = sys.argv[1], sys.argv[2]
      long = "n" * (60 if kind == "USTAR_FORMAT" else 120)
      with tarfile.open(folder + "/b.sigmf", "w", format=getattr(tarfile, kind)) as tar:
          for ending in ("data", "meta"):
              tar.add(folder + "/a.sigmf-" + ending, arcname=long + "/" + long + ".sigmf-" + ending)
      """, folder.path, kind)
    #expect(status == 0)
    let reading = try CaptureReading(openCapture(folder.path + "/b.sigmf"))
    #expect(reading.exchanges.map { SigMFTests.bits($0) } == exchanges.map { SigMFTests.bits($0) })
  }
}
