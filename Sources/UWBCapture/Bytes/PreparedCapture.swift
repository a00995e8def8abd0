import UWBTypes

/// A capture whose bytes had to be unpacked or decoded: losses and progress are those of the file.
public struct PreparedCapture: CaptureReader {
  /// The format's own.
  public private(set) var reader: any CaptureReader
  private let file: ByteSource
  private let damage: SourceDamage

  /// - Parameter open: makes the format's reader of the prepared bytes.
  static func open(
    _ file: ByteSource, _ open: (ByteSource) throws -> any CaptureReader
  ) throws -> any CaptureReader {
    let damage = SourceDamage()
    let bytes = try file.prepared(damage)
    let reader = try open(bytes)
    return bytes === file ? reader : PreparedCapture(reader: reader, file: file, damage: damage)
  }

  public var header: CaptureHeader { reader.header }
  public var bytesRead: Int { file.bytesConsumed }
  public var skipped: SkippedInput {
    var skipped = reader.skipped
    damage.add(to: &skipped)
    return skipped
  }

  public mutating func next() throws -> RangingExchange? { try reader.next() }
}
