import Foundation
import TestSupport
import Testing

@testable import UWBCapture

@Suite struct LineScannerTests {
  private func lines(_ source: ByteSource, limit: Int = 64) throws -> (lines: [[UInt8]], scanner: LineScanner) {
    var scanner = LineScanner(source, limit: limit)
    var lines: [[UInt8]] = []
    while let line = try scanner.next() { lines.append(Array(line.bytes)) }
    return (lines, scanner)
  }

  @Test func endsAreTakenOffAndStrayBytesStay() throws {
    let (found, scanner) = try lines(ByteSource(text: "a\r\nb\n\r\n\n\0c\0\rd\r\ne"))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == ["a", "b", "", "", "\0c\0\rd", "e"])
    #expect(scanner.lineNumber == 6)
    #expect(scanner.bytesRead == 16)
  }

  @Test func aCutLastLineIsTold() throws {
    for (text, isTerminated) in [("x\ny", false), ("x\ny\r", true), ("x\ny\n", true)] {
      var scanner = LineScanner(ByteSource(text: text))
      _ = try scanner.next()
      #expect(try scanner.next()?.isTerminated == isTerminated, "\(text.debugDescription)")
    }
  }

  /// Against splitting the whole text at once, for random texts in random chunks.
  @Test func chunksMakeNoDifference() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = DecaRangingGenerator(seed: seed)
      let alphabet: [UInt8] = [0x0A, 0x0D, 0x00, 0x41, 0x42, 0x43, 0x44, 0x45]
      let text = (0..<Int.random(in: 0...400, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      var expected = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
      if expected.last?.isEmpty == true { expected.removeLast() }
      let long = expected.filter { $0.count > 20 }.count
      expected = expected.filter { $0.count <= 20 }.map { $0.last == 0x0D ? $0.dropLast() : $0 }
      let chunk = Int.random(in: 1...30, using: &random)
      let (found, scanner) = try lines(ByteSource(content: text, chunk: chunk), limit: 20)
      #expect(found == expected, "seed \(seed)")
      #expect(scanner.tooLong == long, "seed \(seed)")
      #expect(scanner.lineNumber == expected.count + long, "seed \(seed)")
      #expect(scanner.bytesRead == text.count, "seed \(seed)")
    }
  }

  @Test func unreadBytesCanBeUsedManyLinesAtOnce() throws {
    var scanner = LineScanner(ByteSource(text: "one\ntwo\nthree\nfour\n"))
    _ = try scanner.next()
    #expect(Array(scanner.unread.prefix(10)) == Array("two\nthree\n".utf8))
    scanner.skip(byteCount: 10, lineCount: 2)
    let line = try #require(try scanner.next())
    #expect(Array(line.bytes) == Array("four".utf8))
    #expect(scanner.lineNumber == 4)
    #expect(scanner.bytesRead == 19)
  }

  @Test(.enabled(if: Self.residentBytes() != nil, "this machine: the system tells no resident size"))
  func aLineOfAGigabyteIsPassedOverInConstantMemory() throws {
    let before = try #require(Self.residentBytes())
    var remaining = 1 << 30
    var tail = Array("\nnext\n".utf8)
    let source = ByteSource(name: "gigabyte") { target in
      let count = min(target.count, remaining)
      if count > 0 {
        target.initializeMemory(as: UInt8.self, repeating: 0x61)
        remaining -= count
        return count
      }
      target.copyBytes(from: tail)
      defer { tail = [] }
      return tail.count
    }
    let (found, scanner) = try lines(source, limit: 64 * 1024)
    #expect(found == [Array("next".utf8)])
    #expect(scanner.tooLong == 1)
    #expect(scanner.lineNumber == 2)
    #expect(scanner.bytesRead == 1 << 30 + 6)
    // Other tests run at the same time: the bound is loose, and far below the line's length.
    #expect(try #require(Self.residentBytes()) - before < 1 << 29)
  }

  private static func residentBytes() -> Int? {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(getpagesize()) }
  }
}
