import UWBCapture

/// Where a replay's events go.
protocol ReplayOutput {
  /// A capture begins.
  mutating func begin(capture: String, header: CaptureHeader)
  mutating func write(_ event: ReplayEvent) throws
  /// The capture that began last has ended.
  mutating func end(_ totals: ReplayTotals) throws
  /// All captures have ended.
  mutating func finish(_ totals: ReplayTotals) throws
  /// Hands on what is buffered: somebody may be waiting for it.
  mutating func flush() throws
}
