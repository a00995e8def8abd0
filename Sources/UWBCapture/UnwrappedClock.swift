import UWBTypes

/// Turns readings of a 40-bit clock that wraps every 17.2 s into seconds since the first of them.
///
/// A gap longer than one wrap can't be seen in such a clock: the time that a capture covers is then too short by whole
/// wraps.
struct UnwrappedClock {
  private var latest: DeviceTime?
  private var ticks: UInt64 = 0

  /// Seconds from the first reading to the latest; 0 before there is one.
  var seconds: Double { Double(ticks) * UWB.tick }

  /// Takes a reading that is later than all before.
  mutating func advance(to time: DeviceTime) {
    if let latest { ticks = ticks.saturatingAdding(time.ticks(since: latest)) }
    latest = time
  }
}
