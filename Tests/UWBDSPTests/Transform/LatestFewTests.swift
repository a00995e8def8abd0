import Synchronization
import Testing
import UWBDSP

@Suite struct LatestFewTests {
  @Test func keepsTheLatestAndMakesTheOthersAnew() {
    let few = LatestFew<Int, Int>(most: 3)
    var made: [Int] = []
    func value(_ key: Int) -> Int {
      few.value(for: key) {
        made.append(key)
        return 10 * key
      }
    }
    for key in [1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 1] { #expect(value(key) == 10 * key) }
    // 4 pushed 1 out, and 1 what was the earliest then.
    #expect(made == [1, 2, 3, 4, 1])
    #expect(value(2) == 20)
    #expect(made == [1, 2, 3, 4, 1, 2])
  }

  @Test func threadsThatAskTogetherGetOne() async {
    final class Thing: Sendable {}
    final class Counter: Sendable { let made = Atomic(0) }
    let few = LatestFew<Int, Thing>(most: 2)
    let counter = Counter()
    await withTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<32 {
        group.addTask {
          ObjectIdentifier(
            few.value(for: 7) {
              counter.made.add(1, ordering: .relaxed)
              return Thing()
            })
        }
      }
      var seen: Set<ObjectIdentifier> = []
      for await thing in group { seen.insert(thing) }
      #expect(seen.count == 1)
    }
    #expect(counter.made.load(ordering: .relaxed) == 1)
  }
}
