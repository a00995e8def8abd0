import Foundation
import Testing

@testable import UWBCapture

/// Text in other encodings, and files that are no text.
@Suite struct PreparedSourceTests {
  private static let text = "capture,distance_m\r\nGang Süd 😀.log,2.5\r\n"

  private static func bytes(_ encoding: String.Encoding, mark: [UInt8] = []) throws -> [UInt8] {
    mark + Array(try #require(text.data(using: encoding)))
  }

  @Test(arguments: [1, 3, .max])
  func encodings(_ chunk: Int) throws {
    for content in [
      Array(Self.text.utf8), [0xEF, 0xBB, 0xBF] + Array(Self.text.utf8),
      try Self.bytes(.utf16LittleEndian, mark: [0xFF, 0xFE]), try Self.bytes(.utf16BigEndian, mark: [0xFE, 0xFF]),
      try Self.bytes(.utf16LittleEndian), try Self.bytes(.utf16BigEndian),
    ] {
      let table = try TruthTable(ByteSource(content: content, chunk: chunk))
      #expect(table.entries["Gang Süd 😀.log"]?.distance == 2.5)
    }
  }

  @Test("an unpaired surrogate is no character, and half a unit at the end none either")
  func brokenPairs() throws {
    let broken: [UInt8] = [0xFF, 0xFE, 0x61, 0, 0x00, 0xD8, 0x62, 0, 0x0A, 0, 0x63]
    var lines = LineScanner(try ByteSource(content: broken).prepared())
    let line = try #require(try lines.next())
    #expect(String(decoding: line.bytes, as: UTF8.self) == "a\u{FFFD}b")
    #expect(try lines.next() == nil)
  }

  @Test(
    arguments: [
      (Array("BZh91AY".utf8), "bzip2"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz -dc"),
      ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), ([0x37, 0x7A, 0xBC, 0xAF], "7-Zip"), ([0xD0, 0xCF, 0x11, 0xE0], "CSV"),
      ([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("cirs.npy".utf8), "numpy.save"),
      ([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("[Content_Types].xml".utf8), "Excel"),
      ([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 26) + Array("1.log".utf8), "unzip"),
      ([0x89, 0x48, 0x44, 0x46], "HDF5"), (Array("MATLAB 5.0 MAT-file".utf8), "loadmat"),
      (Array("%PDF-1.7".utf8), "PDF"), (Array("PAR1".utf8), "read_parquet"), (Array("ARROW1".utf8), "read_feather"),
      ([0x80, 0x04, 0x95], "numpy.save"), (Array("#ROSBAG V2.0".utf8), "rostopic"),
      ([0xD4, 0xC3, 0xB2, 0xA1], "editcap"),
      ([UInt8](repeating: 0x61, count: 257) + Array("ustar\u{0}00".utf8), "tar -xf"),
      (Array("[{\"exchange\": 0}]".utf8), "jq -c '.[]'"), (Array("{\n  \"exchange\": 0\n}\n".utf8), "jq -c ."),
      (Array("{\"rssi\": 1, \"id\": 2}\n".utf8), "rssi, id"),
      ([UInt8](repeating: 0, count: 64) + [1, 2, 3], "binary"),
      (Array("a\rb\rc\r".utf8), "Macintosh"), (Array("<!DOCTYPE html>\n".utf8), "web page"),
      (Array("version https://git-lfs.github.com/spec/v1\n".utf8), "git lfs pull"),
      (Array("{\"event\":\"update\",\"capture\":\"a\"}\n".utf8), "uwb replay"),
      (Array("event,capture,exchange\nupdate,a,0\n".utf8), "uwb replay"),
      (Array("{\"begin\":{\"shard\":\"1/2\"}}\n".utf8), "uwb merge"),
      (Array("{\"carrier_hz\": 1e9}\n".utf8), "--array"), (Array("{\"peak_index\": 1}\n".utf8), "--pulse"),
      (Array("{\n \"delay\": {}}\n".utf8), "--calibration"), (Array("capture,distance_m\na,1\n".utf8), "--truth"),
      (Array("time_s,qx,qy,qz,qw\n0,0,0,0,1\n".utf8), "--pose"), (Array("1,2,3\n4,5,6\n".utf8), "without a header"),
      (Array("Session,Angle\n1,2\n".utf8), "Session, Angle"),
      (Array("hello\n".utf8), "no known format"),
    ] as [([UInt8], String)])
  func whatAFileIs(_ content: [UInt8], _ shown: String) {
    expectRefusal(of: shown, showing: ["test", shown]) { _ = try openCapture(ByteSource(content: content)) }
  }
}
