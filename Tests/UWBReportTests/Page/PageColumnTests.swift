import Foundation
import Testing

@testable import UWBReport

@Suite struct PageColumnTests {
  @Test func knownAnswers() {
    // 1 + zigzag of 1, 0, -1, 64: 3, 1, 2, 129 as 0x81 0x01; nothing for NaN.
    let column = PageColumn([0.5, 0.5, .nan, 0, 32], step: 0.5)
    #expect(column.data == Data([3, 1, 0, 2, 0x81, 0x01]).base64EncodedString())
    #expect(PageColumn([] as [Double], step: 1).data == "")
  }

  @Test func valuesReadBack() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let values = (0..<5000).map { _ in
      Double.random(in: -1...1, using: &random) * powerOfTen(.random(in: -6...10, using: &random))
    }
    let back = try decoded(PageColumn(values, step: 1e-4))
    #expect(back.count == values.count, "seed \(seed)")
    for (value, read) in zip(values, back) {
      #expect(abs((read ?? .infinity) - value) <= 0.5e-4 + 1e-15 * abs(value), "seed \(seed)")
    }
  }

  @Test func whatNoNumberCanSayIsMissing() throws {
    let limit = Double(1 << 50)
    let values = [1, .infinity, -.infinity, 1e300, limit, -limit, limit - 1, 1 - limit, 2]
    #expect(try decoded(PageColumn(values, step: 1)) == [1, nil, nil, nil, nil, nil, limit - 1, 1 - limit, 2])
  }
}
