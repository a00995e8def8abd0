import UWBTypes

/// Gathers the taps that follow an `Accum Len` line, and says whether they came whole.
struct DecaRangingAccumulator {
  /// Longest accumulator that is believed, taps; a DW1000 has 1016 at 64 MHz.
  static let maximumTapCount = 4096

  private enum State {
    /// No taps are due.
    case idle
    /// Taps of a frame that is wanted, or of one that was received in error.
    case filling(isWanted: Bool)
    /// Something was wrong, and was told: whatever taps follow are part of it, up to the next `open`.
    case damaged
  }

  private var state = State.idle
  private var samples = [Int16](repeating: 0, count: 2 * maximumTapCount)
  private var tapCount = 0
  private var filled = 0

  /// Whether taps that were announced have yet to come.
  var isFilling: Bool {
    if case .filling = state { filled < tapCount } else { false }
  }

  /// Expects `count` taps.
  ///
  /// - Returns: whether that makes the loss of a wanted accumulator known.
  mutating func open(tapCount count: Int?, isWanted: Bool) -> Bool {
    filled = 0
    guard let count, (1...Self.maximumTapCount).contains(count) else {
      state = .damaged
      return isWanted
    }
    tapCount = count
    state = .filling(isWanted: isWanted)
    return false
  }

  /// Takes as many whole taps as stand at the start of `bytes`.
  mutating func fill(from bytes: UnsafeBufferPointer<UInt8>) -> (byteCount: Int, lineCount: Int) {
    guard isFilling else { return (0, 0) }
    let used = TapLines.read(bytes, into: &samples, from: filled, tapCount: tapCount)
    filled += used.lineCount
    return used
  }

  /// Takes one tap.
  ///
  /// - Returns: whether that makes the loss of an accumulator known.
  mutating func append(real: Int, imaginary: Int) -> Bool {
    switch state {
    case .damaged:
      return false
    case .idle:
      state = .damaged
      return true
    case .filling:
      guard isFilling, let real = Int16(exactly: real), let imaginary = Int16(exactly: imaginary) else {
        return damage()
      }
      samples[2 * filled] = real
      samples[2 * filled + 1] = imaginary
      filled += 1
      return false
    }
  }

  /// Gives the taps up.
  ///
  /// - Returns: whether that makes the loss of a wanted accumulator known.
  mutating func damage() -> Bool {
    guard case .filling(let isWanted) = state else { return false }
    state = .damaged
    return isWanted
  }

  /// What a finished accumulator turned out to be.
  enum Outcome {
    /// Nothing was due, or it is known already that it is lost.
    case nothing
    case whole(TapStorage, tapCount: Int)
    case incomplete
  }

  /// Ends the accumulator.
  mutating func close(using pool: inout TapStoragePool) -> Outcome {
    guard case .filling(let isWanted) = state else { return .nothing }
    guard !isFilling else {
      state = .damaged
      return isWanted ? .incomplete : .nothing
    }
    state = .idle
    return isWanted ? .whole(pool.storage(holding: samples[..<(2 * filled)]), tapCount: tapCount) : .nothing
  }
}
