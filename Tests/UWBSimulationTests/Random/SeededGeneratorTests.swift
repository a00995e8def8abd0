import Testing
import UWBSimulation

@Suite struct SeededGeneratorTests {
  @Test func sameSeedAndStreamRepeat() {
    var a = SeededGenerator(seed: 7, stream: 3)
    var b = SeededGenerator(seed: 7, stream: 3)
    for _ in 0..<100 { #expect(a.next() == b.next()) }
  }

  @Test func streamsAndSeedsDiffer() {
    var firsts: Set<UInt64> = []
    for seed in 0..<50 as Range<UInt64> {
      for stream in 0..<50 as Range<UInt64> {
        var generator = SeededGenerator(seed: seed, stream: stream)
        firsts.insert(generator.next())
      }
    }
    #expect(firsts.count == 2500)
  }

  @Test func firstDrawsOfStreamsAreUniform() {
    // A weak seeding shows here: trial i uses the first draws of stream i.
    let count = 4000
    var sum = 0.0
    var product = 0.0
    var previous = 0.5
    for stream in 0..<count {
      var generator = SeededGenerator(seed: 1, stream: UInt64(stream))
      let value = generator.uniform()
      sum += value
      product += (value - 0.5) * (previous - 0.5)
      previous = value
    }
    // Five deviations: a uniform's variance is 1/12, the product's 1/144.
    #expect(abs(sum / Double(count) - 0.5) < 5 * (1.0 / 12 / Double(count)).squareRoot())
    #expect(abs(product / Double(count)) < 5 / 12 / Double(count).squareRoot())
  }

  @Test func substreamsDependOnParentAndIndex() {
    let parent = SeededGenerator(seed: 5)
    var a = parent.substream(0)
    var b = parent.substream(1)
    var c = SeededGenerator(seed: 6).substream(0)
    var again = parent.substream(0)
    let first = a.next()
    #expect(first == again.next())
    #expect(first != b.next())
    #expect(first != c.next())
  }

  @Test func uniformStaysInsideTheOpenInterval() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<10_000 {
      let value = generator.uniform()
      #expect(value > 0 && value < 1)
    }
  }
}
