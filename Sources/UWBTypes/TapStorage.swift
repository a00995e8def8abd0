/// The memory that holds a CIR's samples: written once, then shared read-only by everybody who borrows it.
///
/// It either owns 64-byte-aligned memory or stands for memory that somebody else owns (a mapped file), which it
/// gives back on `deinit`. A reader that streams may write a storage again once it holds the only reference
/// (`isKnownUniquelyReferenced`): so a long replay allocates nothing for each CIR.
public final class TapStorage: @unchecked Sendable {
  // Unchecked because of the raw pointer alone. The memory changes only through `withMutableBytes`, whose callers
  // hold the sole reference; after that it is read-only.
  private let memory: UnsafeMutableRawBufferPointer
  private let release: (@Sendable () -> Void)?

  /// Owns `byteCount` zeroed bytes.
  public init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    release = nil
  }

  /// Borrows memory that stays valid and unchanged until `release` is called, which happens once, on `deinit`.
  public init(borrowing bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
    memory = UnsafeMutableRawBufferPointer(mutating: bytes)
    self.release = release
  }

  deinit {
    if let release { release() } else { memory.deallocate() }
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
