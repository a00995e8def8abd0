import UWBTypes

/// Accumulators of a DW3000 as octets in hexadecimal with blanks or line ends between them, and nothing else: 100 taps a frame from the
/// first path on, frame after frame, without a mark.
///
///     D8 FF FF 25 00 00 …
///
/// Frames are told by counting from the stream's start. An octet that can't be a number's last (`DW3000Sample.isLast`), or
/// other text, shows that some were lost: the count begins anew with the next line where each line so far has held whole frames;
/// else nothing tells where the next frame begins, and the rest is passed over.
///
/// `skipped` counts: `lostAlignment` (what could not be counted any more, once for each loss), `truncatedFrame` (a line, or the stream,
/// ends inside a frame). Memory is one frame.
struct DW3000HexReader: CaptureReader {
  static let tapCount = 100
  private static let octetCount = tapCount * DW3000Sample.tapByteCount

  let header = CaptureHeader(
    format: "dw3000-hex", profile: RadioName.dw3000,
    notes: [
      "CIRs alone, from the chip's first path on: no clock and no timestamps, so no distance",
      "no preamble count: amplitudes are the accumulator's own",
    ])
  private(set) var skipped = SkippedInput()
  private let source: ByteSource
  private var octets: [UInt8] = []
  /// The first digit of an octet whose second has not come.
  private var digit: UInt8?
  /// Whether a blank has to come before the next octet.
  private var needsBlank = false
  private var isLost = false
  /// Whether frames run over the ends of lines; `nil` before the first line's end.
  private var isWrapped: Bool?
  private var count = 0
  private var line = 1
  private var pool = TapStoragePool()

  init(_ source: ByteSource) {
    self.source = source
    octets.reserveCapacity(Self.octetCount)
  }

  var bytesRead: Int { source.bytesConsumed }

  /// Whether the stream begins with a frame.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    var position = 0
    for index in 0..<octetCount {
      while position < start.count, isBlank(start[position]) { position += 1 }
      guard position + 2 < start.count else { return .undecided }
      guard let octet = ByteText.hexadecimal(start, at: position, count: 2), isBlank(start[position + 2]),
        index % 3 != 2 || DW3000Sample.isLast(UInt8(octet))
      else { return .no }
      position += 3
    }
    return .yes
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  mutating func next() throws -> RangingExchange? {
    while true {
      let bytes = source.buffered.bindMemory(to: UInt8.self)
      var used = 0
      while used < bytes.count, octets.count < Self.octetCount {
        let passed = takeOctets(bytes, from: used)
        used += passed
        if passed == 0 {
          take(bytes[used])
          used += 1
        }
      }
      source.consume(used)
      if octets.count == Self.octetCount { return frame() }
      if try source.fill() { continue }
      if digit != nil || !octets.isEmpty { skipped.add("truncatedFrame", at: "its end") }
      digit = nil
      octets.removeAll(keepingCapacity: true)
      return nil
    }
  }

  /// Takes taps' parts as they usually stand: three octets, a blank behind each. What is written otherwise is left to `take`.
  private mutating func takeOctets(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard !isLost, !needsBlank, digit == nil, octets.count % 3 == 0 else { return 0 }
    var position = start
    while position + 9 <= bytes.count, octets.count < Self.octetCount {
      var part: (UInt8, UInt8, UInt8) = (0, 0, 0)
      guard Self.octet(bytes, position, &part.0), Self.octet(bytes, position + 3, &part.1),
        Self.octet(bytes, position + 6, &part.2), DW3000Sample.isLast(part.2)
      else { break }
      octets.append(part.0)
      octets.append(part.1)
      octets.append(part.2)
      position += 9
    }
    return position - start
  }

  @inline(__always)
  private static func octet(_ bytes: UnsafeBufferPointer<UInt8>, _ position: Int, _ octet: inout UInt8) -> Bool {
    guard let high = ByteText.hexadecimalDigit(bytes[position]),
      let low = ByteText.hexadecimalDigit(bytes[position + 1])
    else { return false }
    octet = UInt8(high << 4 | low)
    return bytes[position + 2] == 0x20
  }

  private mutating func take(_ byte: UInt8) {
    if Self.isBlank(byte) {
      if digit != nil { lose() }
      needsBlank = false
      if byte == 0x0A { endLine() }
      return
    }
    guard !isLost else { return }
    guard let value = ByteText.hexadecimalDigit(byte), !needsBlank else { return lose() }
    guard let first = digit else {
      digit = UInt8(value)
      return
    }
    digit = nil
    needsBlank = true
    let octet = first << 4 | UInt8(value)
    octets.append(octet)
    if octets.count % 3 == 0, !DW3000Sample.isLast(octet) { lose() }
  }

  private mutating func endLine() {
    line += 1
    let isWhole = octets.isEmpty && !isLost
    let wraps = isWrapped ?? !isWhole
    if count > 0 || !octets.isEmpty { isWrapped = wraps }
    guard !wraps else { return }
    if !octets.isEmpty { skipped.add("truncatedFrame", at: "line \(line - 1)") }
    octets.removeAll(keepingCapacity: true)
    isLost = false
  }

  private mutating func lose() {
    if !isLost { skipped.add("lostAlignment", at: "line \(line)") }
    isLost = true
    digit = nil
    octets.removeAll(keepingCapacity: true)
  }

  private mutating func frame() -> RangingExchange {
    let storage = pool.storage(byteCount: 8 * Self.tapCount)
    storage.withMutableBytes { target in
      for part in 0..<2 * Self.tapCount {
        let number = UInt32(octets[3 * part]) | UInt32(octets[3 * part + 1]) << 8 | UInt32(octets[3 * part + 2]) << 16
        let value = Float(DW3000Sample.value(number))
        target.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: 4 * part, as: UInt32.self)
      }
    }
    octets.removeAll(keepingCapacity: true)
    defer { count += 1 }
    let record = CIRRecord(
      firstPathTaps: 0,
      impulseResponse: ChannelImpulseResponse(storage: storage, format: .float32, tapCount: Self.tapCount))
    return record.rangingExchange(index: count, time: 0)
  }
}
