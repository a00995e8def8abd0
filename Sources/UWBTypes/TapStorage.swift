/// The memory that holds a CIR's samples: written once, then shared read-only by everybody who borrows it.
///
/// It either owns 64-byte-aligned memory or stands for memory that somebody else owns (a mapped file), which it
/// gives back on `deinit`. A reader that streams may write a storage again once it holds the only reference
/// (`isKnownUniquelyReferenced`): so a long replay allocates nothing for each CIR.
public final class TapStorage: @unchecked Sendable {
  // Unchecked because of the raw pointer alone. The memory changes only through `withMutableBytes`, whose callers
  // hold the sole reference; after that it is read-only.
  private let memory: UnsafeMutableRawBufferPointer
  /// Holds `memory`; `nil` where that is borrowed.
  private let allocation: UnsafeMutableRawPointer?
  private let release: (@Sendable () -> Void)?
  private static let alignment = 64

  /// Owns `byteCount` zeroed bytes.
  public convenience init(byteCount: Int) {
    self.init(unfilledByteCount: byteCount)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  /// Owns `byteCount` bytes of any values, for those who write all that they read.
  package init(unfilledByteCount byteCount: Int) {
    // Aligned here: allocators are slow to make and to free short blocks of an alignment of their own.
    let allocation = UnsafeMutableRawPointer.allocate(byteCount: byteCount + Self.alignment, alignment: 16)
    memory = UnsafeMutableRawBufferPointer(
      start: allocation.alignedUp(toMultipleOf: Self.alignment), count: byteCount)
    self.allocation = allocation
    release = nil
  }

  /// Borrows memory that stays valid and unchanged until `release` is called, which happens once, on `deinit`.
  public init(borrowing bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
    memory = UnsafeMutableRawBufferPointer(mutating: bytes)
    allocation = nil
    self.release = release
  }

  deinit {
    release?()
    allocation?.deallocate()
  }

  /// Bytes that the storage holds.
  public var byteCount: Int { memory.count }

  /// The bytes, valid inside `body` alone.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(rawBytes)) }
  }

  /// The bytes for writing. Only for storage that owns its memory and that nobody else refers to yet.
  public func withMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    precondition(release == nil, "borrowed tap memory is read-only")
    return try withExtendedLifetime(self) { try body(memory) }
  }

  @usableFromInline
  var rawBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
}
