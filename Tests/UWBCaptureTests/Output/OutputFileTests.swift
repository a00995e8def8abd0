import Foundation
import TestSupport
import Testing

@testable import UWBCapture

@Suite struct OutputFileTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func theTargetIsReplacedWholeOrNotAtAll() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    try OutputFile.write("old", to: path)
    chmod(path, 0o640)
    do {
      let file = try OutputFile(path: path)
      try file.append(Data("new".utf8))
      #expect(try text(path) == "old" && names(folder).count == 2)
    }
    #expect(try text(path) == "old" && names(folder) == ["a"])
    let file = try OutputFile(path: path)
    try file.append(Data("new, ".utf8))
    try file.append(Data("longer".utf8))
    try file.write(Data("N".utf8), at: 0)
    try file.commit()
    #expect(try text(path) == "New, longer" && names(folder) == ["a"])
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o640)
  }

  @Test func ofTwoWritersTheLastWinsWhole() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a"
    let writers = try ["one", "second"].map { text in
      let file = try OutputFile(path: path)
      try file.append(Data(text.utf8))
      return file
    }
    try writers[1].commit()
    #expect(try text(path) == "second")
    try writers[0].commit()
    #expect(try text(path) == "one" && names(folder) == ["a"])
  }

  @Test func linksAreFollowed() throws {
    let folder = try TemporaryFolder()
    let files = FileManager.default
    try files.createDirectory(atPath: folder.path + "/there", withIntermediateDirectories: true)
    try files.createSymbolicLink(atPath: folder.path + "/one", withDestinationPath: "there/two")
    try files.createSymbolicLink(atPath: folder.path + "/there/two", withDestinationPath: "three")
    for content in ["first", "second"] {
      try OutputFile.write(content, to: folder.path + "/one")
      #expect(try text(folder.path + "/there/three") == content)
      #expect(try files.destinationOfSymbolicLink(atPath: folder.path + "/one") == "there/two")
    }
    // Another name of the same file keeps what it had.
    try files.linkItem(atPath: folder.path + "/there/three", toPath: folder.path + "/hard")
    try OutputFile.write("third", to: folder.path + "/one")
    #expect(try text(folder.path + "/hard") == "second" && text(folder.path + "/one") == "third")
    // A loop leads nowhere.
    try files.createSymbolicLink(atPath: folder.path + "/loop", withDestinationPath: "loop")
    try files.createSymbolicLink(atPath: folder.path + "/gone", withDestinationPath: "nowhere/x")
    #expect(throws: CaptureError.self) { try OutputFile.write("x", to: folder.path + "/gone") }
  }

  @Test(arguments: ["none/a", "", "folder", "folder/", "a/b"]) func whatCanNotBeWritten(_ name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/folder", withIntermediateDirectories: true)
    try OutputFile.write("x", to: folder.path + "/a")
    let path = name.isEmpty ? "" : folder.path + "/" + name
    let error = #expect(throws: CaptureError.self) { try OutputFile.write("x", to: path) }
    #expect(error?.file == path && error?.remedy.isEmpty == false)
    #expect(try names(folder) == ["a", "folder"] && text(folder.path + "/a") == "x")
  }

  @Test func namesOfAnyLength() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/" + String(repeating: "ö", count: 127)
    try OutputFile.write("x", to: path)
    #expect(try text(path) == "x")
  }

  @Test func devicesAreWrittenWhereTheyAre() throws {
    try OutputFile.write("x", to: "/dev/null")
    let error = #expect(throws: CaptureError.self) { try OutputFile.write("x", to: "/dev/full") }
    #expect(error?.remedy.contains("free space") == true)
    #expect(FileIdentity("/dev/null")?.kind == S_IFCHR)
  }

  @Test func manyWritersOfOneRecordingAtOnce() async throws {
    let folder = try TemporaryFolder()
    let captures = (0..<4).map { SigMFTests.exchanges(10 + $0, layout: .single, seed: UInt64(80 + $0)) }
    let path = folder.path + "/a"
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<50 {
        group.addTask {
          let writer = try createCapture(path, header: SigMFTests.header)
          for exchange in captures[round % 4] { try writer.append(exchange) }
          try writer.finish()
        }
      }
      try await group.waitForAll()
    }
    let (found, reader) = try SigMFTests.read(path)
    #expect(captures.contains { $0.map { SigMFTests.bits($0) } == found.map { SigMFTests.bits($0) } })
    #expect(try reader.hashFits() == true && names(folder) == ["a.sigmf-data", "a.sigmf-meta"])
  }
}

@Suite struct CaptureTargetTests {
  @Test(arguments: [
    ("a", ["a", "a.sigmf-data", "a.sigmf-meta"]), ("a.sigmf-data", ["a.sigmf-data", "a.sigmf-meta"]),
    ("a.sigmf", ["a.sigmf"]), ("a.csv", ["a.csv"]), ("A.CSV", ["A.CSV"]), ("a.b.npy", ["a.b.npy"]),
    ("c.sigmf-collection", ["c-0000.sigmf-meta", "c-0017.sigmf-data", "c.sigmf-collection"]),
  ])
  func filesThatMayBeWritten(name: String, files: [String]) throws {
    let folder = try TemporaryFolder()
    for other in ["c-0000.sigmf-meta", "c-0017.sigmf-data", "c-x.sigmf-meta", "c-1.txt", "d-0000.sigmf-meta"] {
      try Data().write(to: URL(fileURLWithPath: folder.path + "/" + other))
    }
    let target = try CaptureTarget(folder.path + "/" + name)
    #expect(target.files.map { URL(fileURLWithPath: $0).lastPathComponent }.sorted() == files)
  }

  @Test(arguments: ["a.h5", "a.", "a.csv.gz", "a/", ".", "a.SIGMF-META", "x.sigmf.bak"])
  func endingsThatAreNone(name: String) {
    let error = #expect(throws: CaptureError.self) { try CaptureTarget(name) }
    #expect(error?.remedy.contains(".sigmf-collection, .ndjson, .jsonl, .csv, .npy") == true)
    // Named, the format needs no ending.
    if !name.hasSuffix("/"), name != "." {
      #expect(throws: Never.self) { try CaptureTarget(name, format: .csv) }
    }
  }

  @Test func onlyCollectionsAreSplit() throws {
    for name in ["a.csv", "a.npy", "a.ndjson", "a.sigmf"] {
      #expect(throws: CaptureError.self) {
        try CaptureTarget(name, options: CaptureWriterOptions(maximumByteCount: 1))
      }
    }
  }
}
