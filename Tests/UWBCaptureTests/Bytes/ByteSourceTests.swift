import Foundation
import Testing
import UWBCapture

@Suite struct ByteSourceTests {
  @Test func aFileIsReadInBlocksToItsEnd() throws {
    let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let file = try TemporaryFile(content)
    let source = try ByteSource(path: file.path)
    var read: [UInt8] = []
    while try source.fill() {
      #expect(source.buffered.count <= ByteSource.capacity)
      read += source.buffered
      source.consume(source.buffered.count)
    }
    #expect(read == content)
    #expect(source.bytesConsumed == content.count)
    #expect(source.isAtEnd)
  }

  @Test func whatIsNotConsumedStays() throws {
    let source = ByteSource(name: "test", content: Array(0..<10), chunk: 4)
    #expect(try source.fill())
    source.consume(3)
    #expect(try source.fill())
    #expect(Array(source.buffered) == [3, 4, 5, 6, 7])
  }

  @Test func aFullBufferTakesNoMore() throws {
    let source = ByteSource(name: "endless") { target in
      target.initializeMemory(as: UInt8.self, repeating: 7)
      return target.count
    }
    while try source.fill() {}
    #expect(source.buffered.count == ByteSource.capacity)
    #expect(!source.isAtEnd)
  }

  @Test func aPipeHandsOverWhatItHas() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[1]) }
    let path = "/dev/fd/\(ends[0])"
    let source = try ByteSource(path: path)
    close(ends[0])
    #expect(write(ends[1], "poll", 4) == 4)
    // The writer's end stays open: waiting for a full block would hang here.
    #expect(try source.fill())
    #expect(Array(source.buffered) == Array("poll".utf8))
  }

  @Test func aMissingFileIsNamed() {
    let error = #expect(throws: CaptureError.self) { try ByteSource(path: "/nowhere/missing.log") }
    #expect(error?.file == "/nowhere/missing.log")
    #expect(error?.problem == "there is no such file")
  }

  @Test func aDirectoryIsRefused() {
    let error = #expect(throws: CaptureError.self) { try ByteSource(path: NSTemporaryDirectory()) }
    #expect(error?.problem == "is a directory, not a capture")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test(.enabled(if: geteuid() != 0, "this machine: the superuser may read everything"))
  func aFileWithoutRightsIsRefused() throws {
    let file = try TemporaryFile([1, 2, 3])
    try #require(chmod(file.path, 0) == 0)
    let error = #expect(throws: CaptureError.self) { try ByteSource(path: file.path) }
    #expect(error?.problem == "may not be read")
  }
}
