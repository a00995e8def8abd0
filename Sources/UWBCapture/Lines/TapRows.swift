import UWBTypes

/// The taps of a CIR that come one by one, each with its place in the accumulator, none left out.
struct TapRows {
  private(set) var firstTap: Int?
  private(set) var real: [Float] = []
  private(set) var imaginary: [Float] = []

  var count: Int { real.count }

  mutating func removeAll() {
    firstTap = nil
    real.removeAll(keepingCapacity: true)
    imaginary.removeAll(keepingCapacity: true)
  }

  /// Adds the tap; false where it does not follow the one before, or there are too many.
  mutating func append(_ index: Int, real one: Int, imaginary other: Int) -> Bool {
    let first = firstTap ?? index
    guard index == first + count, count < CIRRecord.maximumTapCount else { return false }
    firstTap = first
    real.append(Float(one))
    imaginary.append(Float(other))
    return true
  }

  /// Makes the record's CIR of the taps; the record's first path becomes one from the first of them on.
  func complete(_ record: inout CIRRecord, in pool: inout TapStoragePool) {
    record.firstPathTaps = record.firstPathTaps.map { $0 - Double(firstTap ?? 0) }
    record.impulseResponse = ChannelImpulseResponse(
      storage: pool.storage(real: real, imaginary: imaginary), format: .float32, tapCount: count,
      scale: 1 / Float(record.preambleCount ?? 1))
  }
}
