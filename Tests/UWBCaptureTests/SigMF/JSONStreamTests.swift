import TestSupport
import Testing

@testable import UWBCapture

@Suite struct JSONStreamTests {
  private func values(_ text: String, chunk: Int = .max) throws -> [String] {
    var stream = JSONStream(ByteSource(text: text, chunk: chunk))
    var values: [String] = []
    while true {
      switch try stream.take() {
      case .whole(let bytes): values.append(String(decoding: bytes, as: UTF8.self))
      case .tooLong: values.append("too long")
      case .cut: return values
      }
      _ = try stream.skip(0x2C)
    }
  }

  @Test(arguments: [1, 2, 3, .max]) func valuesComeWhole(_ chunk: Int) throws {
    let expected = [#"{"a":[1,{"b":"}]\""}]}"#, #""x,y""#, "-1.5e3", "true", "[]", #"["\\"]"#, "null"]
    #expect(try values(expected.joined(separator: " ,\n"), chunk: chunk) == expected.dropLast())
    #expect(try values(expected.joined(separator: ",") + "\n", chunk: chunk) == expected)
  }

  @Test func whatIsCutIsNoValue() throws {
    for text in ["", "  ", "{", #"{"a":"}"#, #""abc"#, #""abc\"#, "[[]", "12"] {
      #expect(try values(text) == [], "\(text)")
    }
  }

  @Test func aValueLongerThanTheBufferIsPassedOver() throws {
    let long = "[" + String(repeating: "1,", count: ByteSource.capacity) + "1]"
    #expect(try values("{},\(long),[2]", chunk: 5000) == ["{}", "too long", "[2]"])
  }
}
