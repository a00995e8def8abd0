import CZlib
import Foundation
import TestSupport
import Testing
import UWBTypes

@testable import UWBCapture

/// Packed captures are read as they are.
@Suite struct GunzipTests {
  /// Packs `content` as gzip does.
  static func packed(_ content: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    guard
      deflateInit2_(&stream, 6, Z_DEFLATED, 15 + 16, 8, 0, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { deflateEnd(&stream) }
    var content = content
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(content.count))) + 64)
    let room = output.count
    content.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(room)
        deflate(&stream, Z_FINISH)
      }
    }
    return Array(output.prefix(room - Int(stream.avail_out)))
  }

  private static let formats = ["uwb-core", "contiki-uwb", "dw3000-cir", "ewine", "npy"]

  private func capture(_ format: String) -> MadeUpCapture { .make(format, count: 3, tapCount: 4, seed: 31) }

  private func read(_ bytes: [UInt8], chunk: Int = .max) throws -> CaptureReading {
    try CaptureReading(openCapture(ByteSource(content: bytes, chunk: chunk)))
  }

  @Test(arguments: formats, [1, 7, .max])
  func aPackedCaptureIsRead(_ format: String, _ chunk: Int) throws {
    let capture = capture(format)
    let reading = try read(Self.packed(capture.bytes), chunk: chunk)
    #expect(reading.header.format == format && reading.expected == capture.expected && reading.skipped.isEmpty)
  }

  @Test func packedTextMayBeUTF16() throws {
    let capture = capture("ewine")
    let units = capture.text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let bytes: [UInt8] = [0xFF, 0xFE] + units
    #expect(try read(Self.packed(bytes)).expected == capture.expected)
  }

  @Test("members follow each other, as in logs that were joined; what follows them is no part of the data")
  func members() throws {
    let capture = capture("contiki-uwb")
    let bytes = [0..<capture.ends[0], capture.ends[0]..<capture.ends[2]].flatMap {
      Self.packed(Array(capture.bytes[$0]))
    }
    for tail in [[], [0, 0, 0], Array("end".utf8)] as [[UInt8]] {
      let reading = try read(bytes + tail, chunk: 5)
      #expect(reading.expected == capture.expected && reading.skipped.isEmpty)
    }
  }

  @Test(arguments: ["contiki-uwb", "npy"])
  func cutAtEveryByte(_ format: String) throws {
    let capture = capture(format)
    let bytes = Self.packed(capture.bytes)
    var most = 0
    for cut in 1..<bytes.count {
      do {
        let reading = try read(Array(bytes[..<cut]), chunk: cut % 3 == 0 ? 3 : .max)
        #expect(reading.expected == Array(capture.expected.prefix(reading.expected.count)), "cut at \(cut)")
        #expect(reading.skipped["truncatedGzip"] == 1, "cut at \(cut)")
        #expect(reading.expected.count >= most, "cut at \(cut)")
        most = reading.expected.count
      } catch let error as CaptureError {
        #expect(most == 0 && !error.remedy.isEmpty, "cut at \(cut)")
      }
    }
    #expect(most == 3, "the check sum alone is missing")
  }

  @Test func wrongDataEndTheCaptureAndAreCounted() throws {
    let capture = capture("contiki-uwb")
    var bytes = Self.packed(capture.bytes)
    bytes[bytes.count - 6] ^= 1
    let reading = try read(bytes)
    #expect(reading.expected == capture.expected && reading.skipped == ["damagedGzip": 1])
    expectRefusal(of: "a truth table that is cut", showing: ["test", "gunzip -t"]) {
      let table = Self.packed(Array("capture,distance_m\na,1\n".utf8))
      _ = try TruthTable(ByteSource(content: table.dropLast(2)))
    }
  }

  @Test func mutatedTenThousandTimes() throws {
    let capture = capture("contiki-uwb")
    let bytes = Self.packed(capture.bytes)
    var random = DecaRangingGenerator(seed: 32)
    for round in 0..<10_000 {
      let mutation = MutatedBytes(bytes, most: 3, [.flippedBit, .otherByte, .lostByte, .strayByte], using: &random)
      do {
        let reading = try read(mutation.bytes, chunk: round % 5 == 0 ? 13 : .max)
        #expect(reading.exchanges.count <= 6, "seed 32, round \(round)")
      } catch let error as CaptureError {
        #expect(!error.remedy.isEmpty, "seed 32, round \(round)")
      }
    }
  }

  @Test func twicePackedNothingPackedAndOtherBytesAreRefused() throws {
    let capture = capture("contiki-uwb")
    for (bytes, shown) in [
      (Self.packed(Self.packed(capture.bytes)), "packed twice"), (Self.packed([]), "holds nothing"),
      ([0x1F, 0x8B, 8, 0], "gunzip -t"), ([0x1F, 0x8B, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9], "damaged"),
    ] as [([UInt8], String)] {
      expectRefusal(of: shown, showing: ["test", shown]) { _ = try openCapture(ByteSource(content: bytes)) }
    }
  }

  @Test("a small file that unpacks to a great deal takes no more memory than another")
  func bomb() throws {
    let capture = capture("contiki-uwb")
    let zeros = Self.packed([UInt8](repeating: 0x78, count: 64 << 20))
    #expect(zeros.count < 100_000)
    let bytes = Self.packed(capture.bytes) + zeros + Self.packed([0x0A] + capture.bytes)
    let file = ByteSource(content: bytes)
    let source = try file.prepared()
    var lines = LineScanner(source)
    var count = 0
    while try lines.next() != nil { count += 1 }
    #expect(count == 6 && lines.tooLong == 1)
    #expect(source.capacity == ByteSource.capacity && file.capacity == ByteSource.capacity)
    #expect(try read(bytes).skipped == ["lineTooLong": 1])
  }

  @Test func progressIsThatOfTheFile() throws {
    let bytes = Self.packed(capture("uwb-core").bytes)
    var reader = try openCapture(ByteSource(content: bytes))
    while try reader.next() != nil {}
    #expect(reader.bytesRead == bytes.count)
  }
}
