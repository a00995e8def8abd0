import Foundation
import TestSupport
import Testing

@testable import uwb

@Suite struct AccessoryTests {
  private struct Vector {
    let kind: String
    let hex: String
    /// The fields that the table asserts, by their names there.
    var fields: [String: String] = [:]
  }

  private static let known = Vector(
    kind: "shareable", hex: "010001001945554f4f00000b090600100eb400031baf75655238d891c800",
    fields: [
      "session_id": "0x4F4F", "destination_address": "0x91D8", "sts_iv": "1BAF75655238", "channel": "9",
      "preamble_index": "11", "slots_per_round": "6", "slot_rstu": "3600", "block_ms": "180",
    ])

  @Test("a message decodes to its fields, and encodes to its bytes") func aKnownMessage() throws {
    try check(Self.known)
  }

  @Test("so does every message of public captures", .needsRealData("ni-accessory/vectors.csv"))
  func publicMessages() throws {
    let table = try String(contentsOfFile: RealData.path("ni-accessory/vectors.csv"), encoding: .utf8)
    let rows = table.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    try #require(rows.count > 1)
    for row in rows.dropFirst() {
      let fields = zip(rows[0], row).dropFirst(3).filter { $0.0 != "source" && !$0.1.isEmpty }
      try check(
        Vector(kind: row[1], hex: row[2], fields: Dictionary(fields, uniquingKeysWith: { a, _ in a })))
    }
  }

  private func check(_ vector: Vector) throws {
    let decoded = try UwbProcess.run("accessory", "decode", vector.hex)
    #expect(decoded.status == 0, "\(decoded.errors)")
    let fields = try #require(try decoded.events().first)
    #expect(fields["message"] as? String == (vector.kind == "shareable" ? "configure_and_start" : "configuration_data"))
    for (name, expected) in vector.fields {
      let found = fields[name].map { "\($0)" } ?? "nothing"
      if expected.hasPrefix("0x") {
        #expect(UInt64(found, radix: 16) == UInt64(expected.dropFirst(2), radix: 16), "\(name)")
      } else {
        #expect(found.lowercased() == expected.lowercased(), "\(name)")
      }
    }
    let encoded = try UwbProcess.run("accessory", "encode", "-", input: Data(decoded.output.utf8))
    #expect(encoded.output == vector.hex.lowercased() + "\n")
  }

  @Test("a whole handshake over a pipe, and every message of it decodes and encodes")
  func handshake() throws {
    let shareable = Self.known.hex
    let answers = try UwbProcess.run(
      "accessory", "simulate", "--address", "0102", "--clock-drift", "50",
      input: Data("0A\n0b\(shareable)\n0x0C\n".utf8))
    #expect(answers.status == 0)
    #expect(answers.lines.count == 3)
    #expect(answers.lines[0].hasPrefix("01"))
    #expect(answers.lines.dropFirst() == ["02", "03"])
    let decoded = try UwbProcess.run("accessory", "decode", "-", input: Data(answers.output.utf8))
    let messages = try decoded.events()
    #expect(messages.compactMap { $0["message"] as? String } == ["configuration_data", "started", "stopped"])
    #expect(messages[0]["short_address"] as? String == "0102")
    #expect(messages[0]["clock_drift_ppm"] as? Int == 50)
    let encoded = try UwbProcess.run("accessory", "encode", "-", input: Data(decoded.output.utf8))
    #expect(encoded.output == answers.output)
  }

  @Test("random messages come back to the byte through text")
  func random() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes =
        [UInt8.random(in: 0x10...0xFF, using: &generator)]
        + (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: .min ... .max, using: &generator)
        }
      let text = try JSONEncoder().encode(AccessoryText(bytes: bytes))
      #expect(try JSONDecoder().decode(AccessoryText.self, from: text).bytes() == bytes, "\(bytes)")
    }
  }

  @Test("what is malformed is named with its line, the rest is still printed")
  func malformed() throws {
    let lines = "02\n0b0100\n03\n"
    let decoded = try UwbProcess.run("accessory", "decode", "-", input: Data(lines.utf8))
    #expect(decoded.status == 1)
    #expect(decoded.lines.count == 2)
    #expect(decoded.errors.contains("line 2"))
    let notHex = try UwbProcess.run("accessory", "decode", "-", input: Data("02\nzz\n".utf8))
    #expect(notHex.status == 1)
    #expect(notHex.errors.contains("line 2"))
    #expect(try UwbProcess.run("accessory", "decode", "/nowhere/at/all").status == 1)
    for json in ["{}", #"{"message":"stop","id":2}"#, #"{"message":"configuration_data"}"#, "{", #"{"message":7}"#] {
      let encoded = try UwbProcess.run("accessory", "encode", json)
      #expect(encoded.status == 1, "\(json)")
      #expect(encoded.output.isEmpty)
    }
  }
}
