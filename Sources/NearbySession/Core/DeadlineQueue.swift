/// Which session is to be looked at next: a binary heap, the earliest deadline first. Cost: O(log n) for each entry.
struct DeadlineQueue: Sendable {
  struct Entry: Sendable {
    /// s; the session's own deadline may have moved on since, never back.
    var deadline: Double
    var slot: Int
    var generation: UInt32
  }

  private var heap: [Entry] = []

  var first: Entry? { heap.first }

  mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      let children = (2 * parent + 1..<min(2 * parent + 3, max(heap.count, 2 * parent + 1)))
      guard let child = children.min(by: { heap[$0].deadline < heap[$1].deadline }),
        heap[child].deadline < heap[parent].deadline
      else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
