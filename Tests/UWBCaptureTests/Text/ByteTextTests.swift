import TestSupport
import Testing

@testable import UWBCapture

/// Digits and separators that are taken eight at a time, against one at a time.
@Suite struct ByteTextTests {
  @Test("Octets of hexadecimal digits: every byte at every place of a word, and of two words behind it")
  func everyByteAtEveryPlace() {
    for place in 0..<32 {
      for byte in UInt8.min ... .max {
        var line = Array("0123456789abcDEFfEdCBA9876543210".utf8)
        line[place] = byte
        var octets: [UInt8] = [0xEE]
        let end = ByteText.appendOctets(line.span, from: 0, to: &octets)
        let expected = naiveOctets(line)
        #expect(octets == [0xEE] + expected, "byte \(byte) at \(place)")
        #expect(end == 2 * expected.count)
      }
    }
  }

  @Test("Octets from any start, of any length")
  func startsAndLengths() {
    let text = Array("00112233445566778899aAbBcCdDeEfF".utf8)
    for length in 0...text.count {
      for start in 0...length {
        var octets: [UInt8] = []
        let end = ByteText.appendOctets(Array(text[..<length]).span, from: start, to: &octets)
        #expect(octets == naiveOctets(Array(text[start..<length])))
        #expect(end == start + 2 * octets.count)
      }
    }
  }

  @Test("Fields of lines of any length", arguments: [44, 59, 9] as [UInt8])
  func fieldsOfALine(separator: UInt8) {
    var random = DecaRangingGenerator(seed: 7)
    for length in 0..<300 {
      let line = (0..<length).map { _ in random.next() % 4 == 0 ? separator : UInt8(0x61 + random.next() % 26) }
      var fields = CSVFields()
      line.withUnsafeBufferPointer { fields.take($0, separator) }
      let expected = line.split(separator: separator, omittingEmptySubsequences: false)
      #expect(fields.texts == expected.map { String(decoding: $0, as: UTF8.self) }, "length \(length), seed 7")
    }
  }

  private func naiveOctets(_ line: [UInt8]) -> [UInt8] {
    var octets: [UInt8] = []
    for pair in stride(from: 0, to: line.count - 1, by: 2) {
      let digits = line[pair...(pair + 1)].map { Character(Unicode.Scalar($0)).hexDigitValue }
      guard line[pair] < 0x80, line[pair + 1] < 0x80, let high = digits[0], let low = digits[1] else { break }
      octets.append(UInt8(16 * high + low))
    }
    return octets
  }
}
