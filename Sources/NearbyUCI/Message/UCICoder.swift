/// Reads a message's fields from bytes, or writes them: a layout is described once, for both directions. Numbers are little-endian.
public struct UCICoder: Sendable {
  /// Whether fields are read, else written.
  public let isReading: Bool
  /// What the same bytes mean to this chip.
  public let dialect: UCIDialect
  /// What was read from, or written so far.
  public private(set) var bytes: [UInt8]
  /// Where the next field begins.
  public private(set) var offset = 0
  /// Where the bytes that may be read end.
  private var end = 0
  /// Whether addresses have eight bytes: a header's field says so for the measurements that follow it.
  var hasExtendedAddresses = false

  /// Reads.
  init(reading bytes: [UInt8], dialect: UCIDialect) {
    isReading = true
    self.bytes = bytes
    self.dialect = dialect
    end = bytes.count
  }

  /// Writes.
  init(writingFor dialect: UCIDialect) {
    isReading = false
    bytes = []
    self.dialect = dialect
  }

  /// Bytes not read yet; none while writing.
  public var available: Int { isReading ? end - offset : 0 }

  // Names of fields are made where one is wrong: most are read, and making a string takes longer than reading a number.
  @inline(__always) private func require(_ count: Int, _ field: () -> String) throws(UCIError) {
    guard available >= count else {
      throw .truncated(field: field(), offset: offset, needed: count, available: available)
    }
  }

  /// Reads or writes an integer; `field` names it in errors.
  @inline(__always) public mutating func code<Value: FixedWidthInteger & BitwiseCopyable>(
    _ value: inout Value, _ field: @autoclosure () -> String
  ) throws(UCIError) {
    let count = Value.bitWidth / 8
    guard isReading else { return write(UInt64(truncatingIfNeeded: value), octets: count) }
    try require(count, field)
    value = Value(littleEndian: bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    offset += count
  }

  private mutating func write(_ value: UInt64, octets: Int) {
    for index in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    offset += octets
  }

  /// Reads or writes a code; `field` names it in errors.
  @inline(__always) public mutating func code<Value: RawRepresentable>(_ value: inout Value, _ field: String)
    throws(UCIError)
  where Value.RawValue == UInt8 {
    var raw = value.rawValue
    let start = offset
    try code(&raw, field)
    guard isReading else { return }
    guard let read = Value(rawValue: raw) else { throw .invalid(field: field, offset: start, value: UInt64(raw)) }
    value = read
  }

  /// A field that ends the message, or is not there.
  public mutating func code<Value: FixedWidthInteger & BitwiseCopyable>(_ value: inout Value?, _ field: String)
    throws(UCIError)
  {
    if isReading, available == 0 {
      value = nil
      return
    }
    guard isReading || value != nil else { return }
    var present = value ?? 0
    try code(&present, field)
    value = present
  }

  /// A low part of a number, as of a 40-bit time.
  mutating func code(
    _ value: inout UInt64, octets: Int, _ field: @autoclosure () -> String
  ) throws(UCIError) {
    guard isReading else { return write(value, octets: octets) }
    try require(octets, field)
    value = 0
    for index in 0..<octets { value |= UInt64(bytes[offset + index]) << UInt64(8 * index) }
    offset += octets
  }

  /// Reads or writes so many bytes; `field` names them in errors.
  public mutating func code(
    _ value: inout [UInt8], count: Int, _ field: @autoclosure () -> String
  ) throws(UCIError) {
    if isReading {
      try require(count, field)
      value = bytes.withUnsafeBufferPointer { Array(UnsafeBufferPointer(rebasing: $0[offset..<(offset + count)])) }
    } else {
      guard value.count == count else { throw .tooLong(field: field(), count: value.count, limit: count) }
      bytes += value
    }
    offset += count
  }

  /// So many octets without a meaning, kept as they came. Zeros, which most are, take no memory.
  mutating func codeReserved(_ value: inout [UInt8], count: Int) throws(UCIError) {
    if !isReading, value.isEmpty { value = [UInt8](repeating: 0, count: count) }
    if isReading, available >= count, bytes[offset..<(offset + count)].allSatisfy({ $0 == 0 }) {
      value = []
      offset += count
    } else {
      try code(&value, count: count, "reserved octets")
    }
  }

  /// All that is left.
  public mutating func codeRest(_ value: inout [UInt8]) {
    if isReading { value = offset < end ? Array(bytes[offset..<end]) : [] } else { bytes += value }
    offset = isReading ? end : bytes.count
  }

  /// What `body` reads of the next `count` bytes, beyond which it sees none. Afterwards all of them are read.
  mutating func readPart<Result>(
    count: Int, _ field: @autoclosure () -> String, _ body: (inout UCICoder) -> Result
  ) throws(UCIError) -> Result {
    try require(count, field)
    let after = end
    end = offset + count
    let result = body(&self)
    (offset, end) = (end, after)
    return result
  }

  /// Reads on from an earlier place.
  mutating func goBack(to place: Int) { offset = min(place, offset) }

  /// The next `count` bytes, shared with the message.
  mutating func read(count: Int, _ field: @autoclosure () -> String) throws(UCIError) -> ArraySlice<UInt8> {
    try require(count, field)
    defer { offset += count }
    return bytes[offset..<(offset + count)]
  }

  /// Writes bytes as they are.
  mutating func write(_ octets: ArraySlice<UInt8>) {
    bytes += octets
    offset += octets.count
  }

  /// A count of one byte, then that many bytes.
  public mutating func codeCounted(_ value: inout [UInt8], _ field: String) throws(UCIError) {
    try codeCounted(&value, UInt8.self, field)
  }

  /// A count of that type, then that many bytes.
  mutating func codeCounted<Number: FixedWidthInteger & BitwiseCopyable>(
    _ value: inout [UInt8], _ type: Number.Type, _ field: String
  ) throws(UCIError) {
    let count = try codeCount(value.count, type, field)
    try code(&value, count: count, field)
  }

  /// A count of one byte, then that many elements.
  public mutating func code<Element: UCILayout>(_ list: inout [Element], _ field: String) throws(UCIError) {
    let count = try codeCount(list.count, UInt8.self, field)
    try code(&list, count: count)
  }

  /// That many elements.
  mutating func code<Element: UCILayout>(_ list: inout [Element], count: Int) throws(UCIError) {
    if isReading {
      list = []
      list.reserveCapacity(min(count, available))
      for _ in 0..<count {
        var element = Element()
        try element.code(&self)
        list.append(element)
      }
    } else {
      for var element in list { try element.code(&self) }
    }
  }

  @inline(__always) mutating func codeCount<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, _ type: Number.Type, _ field: @autoclosure () -> String
  ) throws(UCIError) -> Int {
    guard var number = Number(exactly: count) else {
      throw .tooLong(field: field(), count: count, limit: Int(Number.max))
    }
    try code(&number, "count of \(field())")
    return Int(number)
  }
}

/// What lies in a message in a fixed order.
public protocol UCILayout: Sendable, Hashable {
  /// Creates one with default values.
  init()
  /// Reads or writes the fields, in the order of their bytes.
  mutating func code(_ coder: inout UCICoder) throws(UCIError)
}

/// What the same bytes mean to different chips.
public struct UCIDialect: Sendable, Hashable {
  /// The generation, as CORE_GET_DEVICE_INFO reports it.
  public enum Generation: Sendable, Hashable {
    /// 1.x
    case first
    /// 2.0
    case second
  }

  /// Generation of UCI.
  public var generation: Generation
  /// Whether E3, E4 and E5 begin parameter identifiers of two bytes, as on NXP's chips.
  public var hasTwoByteIdentifiers: Bool

  /// Creates one with the given values.
  public init(_ generation: Generation = .second, hasTwoByteIdentifiers: Bool = false) {
    self.generation = generation
    self.hasTwoByteIdentifiers = hasTwoByteIdentifiers
  }
}
