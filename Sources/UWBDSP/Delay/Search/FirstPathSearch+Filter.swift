/// The filtered powers of taps, in blocks that can reach a level.
extension FirstPathSearch {
  /// |z|² at the half taps of `range`; zero in blocks of taps that can't reach `level`. Only comparisons with what does
  /// reach it matter.
  func filter(_ taps: PreparedTaps, _ range: Range<Int>, reaching level: Float, into map: FilteredPowers) {
    map.clear()
    extend(taps, range, reaching: level, map)
  }

  /// Filters the blocks that can reach `level` and haven't been filtered yet.
  func extend(_ taps: PreparedTaps, _ range: Range<Int>, reaching level: Float, _ map: FilteredPowers) {
    // A little lower, for what rounding may add.
    let least = 0.999 * level / highestGain
    let leastEnergy = 0.999 * level / energyGain
    let last = PreparedTaps.blockCount(taps.count) - 1
    let bounds = range.lowerBound / PreparedTaps.blockTaps..<PreparedTaps.blockCount(range.upperBound)
    map.forgetOrder()
    var before = taps.peaks(max(bounds.lowerBound - 1, 0))
    var own = taps.peaks(bounds.lowerBound)
    for block in bounds {
      let after = taps.peaks(min(block &+ 1, last))
      let nearby = before.larger(own).larger(after)
      before = own
      own = after
      guard any(nearby .>= least) else { continue }
      if !map.isFiltered(block) {
        // The first and the last block have no taps on one side.
        guard block == 0 || block == last || isEnergetic(taps, block, leastEnergy) else { continue }
        filter(taps, block, map)
      }
      map.append(block)
    }
  }

  /// Whether any seven taps that a point of the block is filtered from hold as much energy as `least`.
  private func isEnergetic(_ taps: PreparedTaps, _ block: Int, _ least: Float) -> Bool {
    let first = UnsafePointer(taps.powers.pointer) + (PreparedTaps.blockTaps * block - Self.halfWidth)
    var tap = 0
    while tap < PreparedTaps.blockTaps {
      let early = (first.load4(tap) + first.load4(tap &+ 1)) + (first.load4(tap &+ 2) + first.load4(tap &+ 3))
      let late = (first.load4(tap &+ 4) + first.load4(tap &+ 5)) + first.load4(tap &+ 6)
      if any((early + late) .>= least) { return true }
      tap &+= 4
    }
    return false
  }

  private func filter(_ taps: PreparedTaps, _ block: Int, _ map: FilteredPowers) {
    let first = PreparedTaps.blockTaps * block - Self.halfWidth
    let source = taps.taps(in: first..<first + PreparedTaps.blockTaps + 2 * Self.halfWidth) + 2 * first
    let onTap = map.squares
    let between = map.squares + 2 * PreparedTaps.blockTaps
    for number in stride(from: 0, to: 2 * PreparedTaps.blockTaps, by: 8) {
      let (s0, s1, s2) = (load8(source + number), load8(source + number + 2), load8(source + number + 4))
      let (s3, s4, s5) = (load8(source + number + 6), load8(source + number + 8), load8(source + number + 10))
      let s6 = load8(source + number + 12)
      var sum = whole[0] * s3
      sum += whole[1] * (s2 + s4)
      sum += whole[2] * (s1 + s5)
      sum += whole[3] * (s0 + s6)
      UnsafeMutableRawPointer(onTap + number).storeBytes(of: sum * sum, as: SIMD8<Float>.self)
      sum = half[0] * (s3 + s4)
      sum += half[1] * (s2 + s5)
      sum += half[2] * (s1 + s6)
      UnsafeMutableRawPointer(between + number).storeBytes(of: sum * sum, as: SIMD8<Float>.self)
    }
    // Not by lanes in the loop above: the compiler then takes its vectors apart.
    let powers = map.powers(block)
    for tap in 0..<PreparedTaps.blockTaps {
      let number = 2 &* tap
      powers[number] = onTap[number] + onTap[number &+ 1]
      powers[number &+ 1] = between[number] + between[number &+ 1]
    }
    map.measurePeak(block)
  }

  @inline(__always)
  private func load8(_ source: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(source).loadUnaligned(as: SIMD8<Float>.self)
  }
}
