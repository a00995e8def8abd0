import UWBTypes

/// What one line of a DecaRanging log says, taken by itself.
enum DecaRangingLine: Equatable {
  /// What the chip says of a received frame's signal.
  struct Quality: Equatable {
    var firstPathTaps: Double?
    var preambleCount: Int?
    var noiseThreshold: Int?
    var receivedPowerdBm: Double?
    var firstPathPowerdBm: Double?
    /// The receive timestamp once more.
    var time: DeviceTime?
    /// Whether a field is there that can't be read.
    var isDamaged = false
  }

  case blank
  case tap(real: Int, imaginary: Int)
  /// `File:` or `Mode:`, once at the head of a log.
  case note(String)
  case reception(function: UInt8, sequence: UInt8, time: DeviceTime)
  case damagedReception
  /// `nil` where the hexadecimal digits are no frame.
  case payload(DecaRangingFrame?)
  case quality(Quality)
  case receiveError
  /// Taps that follow; `nil` where their number can't be read.
  case accumulator(tapCount: Int?)
  case transmission(DeviceTime)
  case report(ChipReport)
  /// Ra and Db: from poll to response, on the tag's and on the anchor's clock, ticks modulo 2⁴⁰.
  case pollToResponse(tag: UInt64, anchor: UInt64)
  /// Rb and Da: from response to final, on the anchor's and on the tag's clock, ticks modulo 2⁴⁰.
  case responseToFinal(anchor: UInt64, tag: UInt64)
  /// Known and not needed.
  case unused
  /// Starts as a known line does and can't be read.
  case damaged
  case unknown

  init(_ line: Span<UInt8>) {
    let start = ByteText.skippingBlanks(line, from: 0)
    guard start < line.count else {
      self = .blank
      return
    }
    self =
      Self.tap(line, from: start) ?? Self.message(line, from: start) ?? Self.accumulatorOrNote(line, from: start)
      ?? Self.clockReading(line, from: start) ?? .unknown
  }

  private static func tap(_ line: Span<UInt8>, from start: Int) -> DecaRangingLine? {
    guard let real = ByteText.integer(line, at: start), real.end < line.count, line[real.end] == 0x2C,
      let imaginary = ByteText.integer(line, at: ByteText.skippingBlanks(line, from: real.end + 1)),
      ByteText.isBlank(line, from: imaginary.end)
    else { return nil }
    return .tap(real: real.value, imaginary: imaginary.value)
  }

  private static func message(_ line: Span<UInt8>, from start: Int) -> DecaRangingLine? {
    if ByteText.matches("RX DATA:", in: line, at: start) {
      return .payload(DecaRangingFrame(hexadecimal: line, from: start + 8))
    }
    if ByteText.matches("RX OK ", in: line, at: start) { return .quality(quality(line, from: start)) }
    if ByteText.matches("RX E", in: line, at: start) { return .receiveError }
    if ByteText.matches("Anchor ToF:", in: line, at: start) { return report(line, from: start) ?? .damaged }
    if let (first, second) = intervals(line, from: start, "Ra  ", " Db ") {
      return .pollToResponse(tag: first, anchor: second)
    }
    if let (first, second) = intervals(line, from: start, "Rb  ", " Da ") {
      return .responseToFinal(anchor: first, tag: second)
    }
    if ByteText.matches("Ra1 ", in: line, at: start) || ByteText.matches("Rb1 ", in: line, at: start) {
      return .unused
    }
    if ByteText.matches("Ra ", in: line, at: start) || ByteText.matches("Rb ", in: line, at: start) {
      return .damaged
    }
    return nil
  }

  private static func accumulatorOrNote(_ line: Span<UInt8>, from start: Int) -> DecaRangingLine? {
    if ByteText.matches("Accum Len ", in: line, at: start) {
      guard let count = ByteText.integer(line, at: start + 10), ByteText.isBlank(line, from: count.end) else {
        return .accumulator(tapCount: nil)
      }
      return .accumulator(tapCount: count.value)
    }
    if ByteText.matches("File:", in: line, at: start) || ByteText.matches("Mode:", in: line, at: start) {
      return .note(ByteText.string(line, limit: 400))
    }
    return nil
  }

  private static func clockReading(_ line: Span<UInt8>, from start: Int) -> DecaRangingLine? {
    if ByteText.matches("txdly ", in: line, at: start)
      || ByteText.matches("TX Frame TimeStamp Raw", in: line, at: start)
    {
      return .unused
    }
    if let digits = ByteText.end(of: "Adding Antenna Delay = ", in: line, from: start) {
      guard let high = ByteText.hexadecimal(line, at: digits, count: 4),
        ByteText.matches(" ", in: line, at: digits + 4),
        let low = ByteText.hexadecimal(line, at: digits + 5, count: 8), ByteText.isBlank(line, from: digits + 13)
      else { return .damaged }
      return .transmission(DeviceTime(ticks: high << 32 | low))
    }
    if ByteText.matches(" Tx time = ", in: line, at: start + 2)
      || ByteText.matches(" Rx time(un) = ", in: line, at: start + 5)
    {
      return .unused
    }
    guard let value = ByteText.end(of: "Rx time = ", in: line, from: start) else { return nil }
    // The text before the register is the same reading in seconds.
    guard value == start + 16, let function = ByteText.hexadecimal(line, at: start, count: 2),
      ByteText.matches(" ", in: line, at: start + 2),
      let sequence = ByteText.hexadecimal(line, at: start + 3, count: 2),
      let register = ByteText.end(of: " ", in: line, from: value),
      let ticks = ByteText.hexadecimal(line, at: register, count: 10), ByteText.isBlank(line, from: register + 10)
    else { return .damagedReception }
    return .reception(function: UInt8(function), sequence: UInt8(sequence), time: DeviceTime(ticks: ticks))
  }

  private static func intervals(
    _ line: Span<UInt8>, from start: Int, _ first: StaticString, _ second: StaticString
  ) -> (UInt64, UInt64)? {
    let position = start + first.utf8CodeUnitCount
    guard ByteText.matches(first, in: line, at: start),
      let one = ByteText.hexadecimal(line, at: position, count: 16),
      ByteText.matches(second, in: line, at: position + 16),
      let two = ByteText.hexadecimal(line, at: position + 16 + second.utf8CodeUnitCount, count: 16),
      ByteText.isBlank(line, from: position + 32 + second.utf8CodeUnitCount)
    else { return nil }
    return (one & (DeviceTime.ticksPerWrap - 1), two & (DeviceTime.ticksPerWrap - 1))
  }
}
