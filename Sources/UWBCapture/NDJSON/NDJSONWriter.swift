import UWBTypes

/// Writes a capture as JSON, one object a line: the header first, then each exchange with everything it holds, samples as
/// they are stored. Numbers have the shortest decimals that read back as the same number, so nothing is lost but numbers
/// that are not finite; `NDJSONReader` reads it. `Documentation/reference/Captures.md` lists the fields. About 12 kB a CIR of 1016 taps.
public final class NDJSONWriter: CaptureWriter, ExchangeFieldWriter {
  public private(set) var lost = SkippedInput()
  private let output: TextOutput
  private var needsComma = false

  /// Begins the file and writes its first line. A live one is at its name at once.
  public init(path: String, header: CaptureHeader, isLive: Bool = false) throws {
    output = try TextOutput(path: path, isLive: isLive)
    open()
    string("format", NDJSONReader.format)
    number("version", NDJSONReader.version)
    string("profile", header.profile)
    if !header.hasPhase { bool("phase", false) }
    if let array = header.array {
      number("carrier_hz", array.carrier)
      key("antenna_positions_m")
      list(array.positions) { position in list(0..<3) { value(position[$0]) } }
    }
    key("notes")
    list(header.notes, text)
    close()
    output.append("\n")
    try output.flush()
  }

  public func append(_ exchange: RangingExchange) throws {
    open()
    number("exchange", exchange.index)
    number("time_s", exchange.time)
    writeParties(of: exchange)
    message("poll", exchange.poll)
    message("response", exchange.response)
    message("second_poll", exchange.secondPoll)
    message("final", exchange.final)
    writeResults(of: exchange)
    close()
    output.append("\n")
    try output.flush()
  }

  public func finish() throws {
    try output.close()
  }

  private func message(_ name: StaticString, _ message: RangingMessage?) {
    guard let message else { return }
    object(name) { _ in
      write(message)
      guard let reception = message.reception else { return }
      if let response = reception.impulseResponse {
        key("cir")
        impulseResponse(response)
      }
      if !reception.stsImpulseResponses.isEmpty {
        key("sts_cirs")
        list(reception.stsImpulseResponses, impulseResponse)
      }
    }
  }

  private func impulseResponse(_ response: ChannelImpulseResponse) {
    open()
    string("samples", response.format == .int16 ? "int16" : "float32")
    key("scale")
    value(response.scale)
    number("tap_spacing_s", response.tapSpacing)
    for (name, part) in [("real" as StaticString, 0), ("imag", 1)] {
      key(name)
      list(0..<response.antennaCount) { antenna in
        output.append("[")
        response.forEachStoredPart(part, antenna: antenna) { tap, stored in
          if tap > 0 { output.append(",") }
          switch stored {
          case .int16(let sample): output.append(Int(sample))
          case .float32(let sample): value(sample)
          }
        }
        output.append("]")
      }
    }
    close()
  }

  // MARK: -

  private func open() {
    output.append("{")
    needsComma = false
  }

  private func close() {
    output.append("}")
    needsComma = true
  }

  private func key(_ name: StaticString) {
    output.append(needsComma ? ",\"" : "\"")
    output.append(name)
    output.append("\":")
    needsComma = true
  }

  private func list<Element>(_ elements: some Sequence<Element>, _ write: (Element) -> Void) {
    output.append("[")
    var isFirst = true
    for element in elements {
      if !isFirst { output.append(",") }
      isFirst = false
      write(element)
    }
    output.append("]")
  }

  func object(_ name: StaticString, _ fields: (NDJSONWriter) -> Void) {
    key(name)
    open()
    fields(self)
    close()
  }

  func string(_ name: StaticString, _ value: String) {
    key(name)
    text(value)
  }

  func bool(_ name: StaticString, _ value: Bool) {
    key(name)
    output.append(value ? "true" : "false")
  }

  // JSON knows no infinity and no NaN: such a number becomes absent.
  func number(_ name: StaticString, _ number: Double?) {
    guard let number else { return }
    guard number.isFinite else { return lost.add("notFinite") }
    key(name)
    value(number)
  }

  func numbers(_ name: StaticString, _ numbers: [Double]?) {
    guard let numbers else { return }
    guard numbers.allSatisfy(\.isFinite) else { return lost.add("notFinite") }
    key(name)
    list(numbers, value)
  }

  func number(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    key(name)
    output.append(number)
  }

  private func value(_ number: Double) {
    if number.isFinite { return output.append(number) }
    output.append("null")
    lost.add("notFinite")
  }

  private func value(_ number: Float) {
    if number.isFinite { return output.append(number) }
    output.append("null")
    lost.add("notFinite")
  }

  private func text(_ value: String) {
    output.append("\"")
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""): output.append("\\\"")
      case UInt8(ascii: "\\"): output.append("\\\\")
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        output.append(digits.count == 1 ? "\\u000\(digits)" : "\\u00\(digits)")
      default: output.bytes.append(byte)
      }
    }
    output.append("\"")
  }
}
