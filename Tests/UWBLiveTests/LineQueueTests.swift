import Testing
import UWBLive

@Suite struct LineQueueTests {
  @Test("what fits comes out as it went in")
  func order() {
    var queue = LineQueue<Int>(limit: 100)
    #expect(queue.isEmpty)
    for chunk in 0..<10 { #expect(queue.push(chunk, bytes: 10, lines: 2) == 0) }
    for chunk in 0..<10 {
      guard case .lines(chunk) = queue.pop() else {
        Issue.record("chunk \(chunk) is not next")
        return
      }
    }
    #expect(queue.pop() == nil && queue.isEmpty)
  }

  @Test("a full queue drops the oldest, counts the lines, and tells the reader once")
  func overflow() {
    var queue = LineQueue<Int>(limit: 100)
    var lost = 0
    for chunk in 0..<25 { lost += queue.push(chunk, bytes: 10, lines: 3) }
    #expect(lost == 15 * 3)
    guard case .missing(45) = queue.pop() else {
      Issue.record("the loss is not told")
      return
    }
    for chunk in 15..<25 {
      guard case .lines(chunk) = queue.pop() else {
        Issue.record("chunk \(chunk) is not next")
        return
      }
    }
    #expect(queue.isEmpty)
  }

  @Test("a chunk larger than the limit goes alone")
  func large() {
    var queue = LineQueue<Int>(limit: 100)
    _ = queue.push(1, bytes: 50, lines: 1)
    #expect(queue.push(2, bytes: 1000, lines: 7) == 1)
    #expect(queue.push(3, bytes: 1, lines: 1) == 7)
    guard case .missing(8) = queue.pop(), case .lines(3) = queue.pop() else {
      Issue.record("what is left is wrong")
      return
    }
  }
}
