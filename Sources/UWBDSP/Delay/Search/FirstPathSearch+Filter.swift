import CUWBKernels

/// The filtered powers of taps, in blocks that can reach a level.
extension FirstPathSearch {
  /// |z|² at all half taps; zero in blocks of taps that can't reach `level`. Only comparisons with what does reach it
  /// matter.
  func filter(_ taps: PreparedTaps, reaching level: Float, into map: FilteredPowers) {
    map.clear()
    extend(taps, taps.blocks, reaching: level, map)
  }

  /// Filters those of `blocks` that can reach `level` and haven't been filtered yet.
  func extend(_ taps: PreparedTaps, _ blocks: Range<Int>, reaching level: Float, _ map: FilteredPowers) {
    // A little lower, for what rounding may add.
    let (power, energy) = (0.999 * level / highestGain, 0.999 * level / energyGain)
    map.choose(blocks) { taps.energeticBlocks(blocks, power: power, energy: energy, into: $0) }
    for block in map.filtered where !map.isFiltered(block) { filter(taps, block, map) }
  }

  private func filter(_ taps: PreparedTaps, _ block: Int, _ map: FilteredPowers) {
    let first = PreparedTaps.blockTaps * block
    let source = taps.taps(in: first - Self.halfWidth..<first + PreparedTaps.blockTaps + Self.halfWidth)
    var weights = weights
    map.setMaximum(block, uwb_filter_block(source + 2 * first, floats(&weights), map.powers(block)))
  }
}
