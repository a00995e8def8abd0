import Foundation
import TestSupport
import Testing

@testable import UWBCapture

@Suite struct JSONCursorTests {
  private func with<Result>(_ text: String, _ body: (inout JSONCursor) -> Result) -> Result {
    Array(text.utf8).withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      return body(&cursor)
    }
  }

  /// Against the library's own reading of the same text, to the bit.
  @Test func numbersRoundAsTheLibraryDoes() {
    var random = DecaRangingGenerator(seed: 31)
    for round in 0..<20_000 {
      let text: String
      switch round % 4 {
      case 0: text = "\(Double(bitPattern: .random(in: 0 ... .max, using: &random)))"
      case 1:
        text = "\(Int.random(in: -1_000_000...1_000_000, using: &random)).\(Int.random(in: 0...99999, using: &random))"
      case 2:
        let digits = (0..<Int.random(in: 1...25, using: &random)).map { _ in
          "\(Int.random(in: 0...9, using: &random))"
        }.joined()
        text = "0.\(digits)e\(Int.random(in: -30...30, using: &random))"
      default: text = "\(Float(bitPattern: .random(in: 0 ... .max, using: &random)))"
      }
      guard let value = Double(text), value.isFinite else { continue }
      #expect(with(text) { $0.number() }?.bitPattern == value.bitPattern, "\(text), seed 31")
      let float = Float(text)
      #expect(with(text) { $0.float() }?.bitPattern == (float?.isFinite == true ? float?.bitPattern : nil), "\(text)")
    }
  }

  @Test(
    arguments: [
      ("7", 7), ("-7", -7), ("1e3", 1000), ("2.0", 2), ("9223372036854775807", .max), ("9223372036854775808", nil),
      ("1.5", nil), ("", nil), ("-", nil), ("x", nil), ("18446744073709551616", nil), ("1e400", nil), ("0.", nil),
    ] as [(String, Int?)])
  func integers(_ text: String, _ value: Int?) {
    #expect(with(text) { $0.integer(Int.self) } == value)
  }

  @Test func fieldsInAnyOrderAndUnknownOnes() {
    let text = #" { "b" : [1, {"a": "}]"}], "a" : "x\"yé", "c":null,"d":true , "e":-1.25E-1}  "#
    var string: String?
    var bool: Bool?
    var number: Double?
    let isWhole = with(text) { cursor in
      cursor.object { key, cursor in
        if key.matches("a") {
          string = cursor.string()
          return string != nil
        }
        if key.matches("c") { return cursor.skipAbsentNumber() }
        if key.matches("d") {
          bool = cursor.bool()
          return bool != nil
        }
        if key.matches("e") {
          number = cursor.number()
          return number != nil
        }
        return cursor.skipValue()
      } && cursor.isAtEnd()
    }
    #expect(isWhole && string == "x\"yé" && bool == true && number == -0.125)
  }

  @Test func whatIsCutIsNotWhole() {
    let text = #"{"a":[1,2,{"b":"c\"d"}],"e":null,"f":-1.5e3}"#
    for cut in 0..<text.utf8.count {
      let part = String(decoding: text.utf8.prefix(cut), as: UTF8.self)
      #expect(!with(part) { $0.object { $1.skipValue() } }, "\(part)")
    }
    #expect(with(text) { $0.object { $1.skipValue() } })
  }
}
