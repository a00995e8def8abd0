import CAllocationCounter

/// Heap allocations, counted exactly.
public enum AllocationCount {
  /// Whether what is counted means something: unoptimised code allocates contexts for closures that never escape, and
  /// sanitizers bring allocators of their own.
  public static var isExact: Bool {
    #if DEBUG
      false
    #else
      uwb_allocation_counter_is_active()
    #endif
  }

  /// Allocations of this thread while `body` runs `rounds` times, after it has run twice.
  public static func of(rounds: Int = 5, _ body: () throws -> Void) rethrows -> UInt64 {
    try body()
    try body()
    let before = uwb_allocations_of_this_thread()
    for _ in 0..<rounds { try body() }
    return uwb_allocations_of_this_thread() - before
  }
}
