/// Filtered powers by half tap, and the largest of each block: what a search looks at.
struct FilteredPowers {
  private static let blockPoints = 2 * PreparedTaps.blockTaps

  /// Half taps that may be the first path.
  let count: Int
  private let workspace: FirstPathSearch.Workspace
  private let points: UnsafeMutablePointer<Float>
  private let maxima: UnsafeMutablePointer<Float>

  init(_ workspace: FirstPathSearch.Workspace, halfTaps count: Int) {
    self.count = count
    self.workspace = workspace
    points = workspace.powers.pointer
    maxima = workspace.blockMaxima.pointer
  }

  subscript(_ index: Int) -> Float { points[index] }

  func four(from index: Int) -> SIMD4<Float> { points.load4(index) }

  func powers(_ block: Int) -> UnsafeMutablePointer<Float> { points + block * Self.blockPoints }

  /// The blocks that were filtered or are about to be, ascending.
  var filtered: UnsafeBufferPointer<Int> {
    UnsafeBufferPointer(start: workspace.filtered.pointer, count: workspace.filteredCount)
  }

  /// Nothing is filtered any more.
  func clear() {
    for block in filtered {
      powers(block).update(repeating: 0, count: Self.blockPoints)
      maxima[block] = 0
    }
    workspace.filteredCount = 0
  }

  /// The blocks that hold these half taps.
  func blocks(of halfTaps: ClosedRange<Int>) -> Range<Int> {
    halfTaps.lowerBound / Self.blockPoints..<halfTaps.upperBound / Self.blockPoints + 1
  }

  func isFiltered(_ block: Int) -> Bool { maxima[block] > 0 }

  /// Takes the blocks of `range` that `write` writes, and says how many of, for those of it that are filtered: all that were before are among
  /// them.
  func choose(_ range: Range<Int>, _ write: (UnsafeMutablePointer<Int>) -> Int) {
    let before = filtered.prefix { $0 < range.lowerBound }.count
    let behind = filtered.count { $0 >= range.upperBound }
    let chosen = workspace.filtered.pointer + before
    let room = chosen + range.count
    room.update(from: workspace.filtered.pointer + workspace.filteredCount - behind, count: behind)
    let count = write(chosen)
    (chosen + count).update(from: room, count: behind)
    workspace.filteredCount = before + count + behind
  }

  private func halfTaps(of block: Int) -> Range<Int> {
    block * Self.blockPoints..<min((block + 1) * Self.blockPoints, count)
  }

  /// Keeps the largest of the block's half taps, never zero; `largest` is that of all its points.
  func setMaximum(_ block: Int, _ largest: Float) {
    let inside = halfTaps(of: block)
    let maximum =
      inside.count == Self.blockPoints ? largest : inside.reduce(0) { max($0, points[$1]) }
    maxima[block] = max(maximum, .leastNormalMagnitude)
  }

  /// The first of the largest; `nil` where all are zero.
  var strongest: Int? {
    var largest: Float = 0
    var largestBlock: Int?
    for block in filtered where maxima[block] > largest {
      largest = maxima[block]
      largestBlock = block
    }
    guard let largestBlock else { return nil }
    return halfTaps(of: largestBlock).first { points[$0] == largest }
  }

  /// The latest peak before `end` that reaches `level`.
  func lastPeak(before end: Int, above level: Float) -> Int? {
    for block in filtered.reversed() where maxima[block] >= level {
      let inside = halfTaps(of: block)
      for index in inside.clamped(to: 0..<max(end, 0)).reversed() where points[index] >= level && isPeak(index) {
        return index
      }
    }
    return nil
  }

  private func isPeak(_ index: Int) -> Bool {
    let before = index > 0 ? points[index - 1] : 0
    let after = index + 1 < count ? points[index + 1] : 0
    return points[index] > before && points[index] >= after
  }

  /// The largest of the half taps of `range` that were filtered; zero where there are none. Whole blocks are looked up.
  func largest(in range: Range<Int>) -> Float {
    let range = range.clamped(to: 0..<count)
    let first = (range.lowerBound &+ Self.blockPoints &- 1) / Self.blockPoints
    let last = range.upperBound / Self.blockPoints
    guard first < last else { return largestPoint(range.lowerBound, range.upperBound) }
    var largest = max(
      largestPoint(range.lowerBound, first &* Self.blockPoints),
      largestPoint(last &* Self.blockPoints, range.upperBound))
    for block in first..<last where maxima[block] > largest { largest = maxima[block] }
    return largest
  }

  private func largestPoint(_ start: Int, _ end: Int) -> Float {
    var lanes = SIMD4<Float>()
    var index = start
    while index &+ 4 <= end {
      lanes = lanes.larger(points.load4(index))
      index &+= 4
    }
    var largest = max(max(lanes.x, lanes.y), max(lanes.z, lanes.w))
    while index < end {
      largest = max(largest, points[index])
      index &+= 1
    }
    return largest
  }

  /// The largest of the last `count` whole blocks before a half tap; zero where none was filtered.
  func largest(before index: Int, blocks count: Int) -> Float {
    let end = max(index, 0) / Self.blockPoints
    var largest: Float = 0
    for block in max(0, end - count)..<end { largest = max(largest, maxima[block]) }
    return largest
  }
}
