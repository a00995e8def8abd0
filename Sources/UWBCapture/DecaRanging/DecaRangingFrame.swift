import UWBTypes

/// A frame of the DecaRanging protocol, as `RX DATA:` prints it: an IEEE 802.15.4 data frame whose payload starts with
/// a function code.
///
/// Layout (IEEE 802.15.4-2020, 7.2, all little-endian): frame control 2, sequence 1, destination network 2, destination
/// address, source network 2 unless compressed, source address, payload, frame check 2. The final's payload is its
/// function code, then 5 octets each: when the tag sent its poll, when it received the response, when it sent the final.
struct DecaRangingFrame: Equatable {
  /// Function codes of the messages of one exchange that the anchor receives.
  enum Function {
    static let poll: UInt8 = 0x21
    static let final: UInt8 = 0x29
  }

  /// The tag's own clock readings.
  struct TagTimes: Equatable {
    var pollTransmitted: DeviceTime
    var responseReceived: DeviceTime
    var finalTransmitted: DeviceTime
  }

  var sequence: UInt8
  var destination: DeviceAddress
  var source: DeviceAddress
  var function: UInt8
  /// Present in a final alone.
  var tagTimes: TagTimes?
  /// Whether the frame check sequence fits.
  var isIntact: Bool

  /// Longest frame that a radio with extended lengths receives, octets.
  static let maximumLength = 1023

  /// Reads hexadecimal digits from `position` to the end of the line; `nil` where they are no such frame.
  init?(hexadecimal line: Span<UInt8>, from position: Int) {
    var octets: [UInt8] = []
    var position = ByteText.skippingBlanks(line, from: position)
    while position + 1 < line.count, let octet = ByteText.hexadecimal(line, at: position, count: 2) {
      guard octets.count < Self.maximumLength else { return nil }
      octets.append(UInt8(octet))
      position += 2
    }
    guard ByteText.isBlank(line, from: position) else { return nil }
    self.init(octets: octets)
  }

  /// Reads the octets of a whole frame, frame check included; `nil` where they are no such frame.
  init?(octets: [UInt8]) {
    guard octets.count >= 5 else { return nil }
    let control = UInt16(octets[0]) | UInt16(octets[1]) << 8
    var position = 3

    func take(_ count: Int) -> UInt64? {
      guard position + count <= octets.count - 2 else { return nil }
      defer { position += count }
      return octets[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func addressLength(mode: UInt16) -> Int? {
      switch mode {
      case 2: 2
      case 3: 8
      default: nil
      }
    }

    guard let destinationLength = addressLength(mode: control >> 10 & 3),
      let sourceLength = addressLength(mode: control >> 14 & 3),
      take(2) != nil, let destination = take(destinationLength),
      take(control & 0x40 == 0 ? 2 : 0) != nil, let source = take(sourceLength),
      let function = take(1)
    else { return nil }
    sequence = octets[2]
    self.destination = DeviceAddress(rawValue: destination)
    self.source = DeviceAddress(rawValue: source)
    self.function = UInt8(function)
    if self.function == Function.final {
      guard let poll = take(5), let response = take(5), let final = take(5) else { return nil }
      tagTimes = TagTimes(
        pollTransmitted: DeviceTime(ticks: poll), responseReceived: DeviceTime(ticks: response),
        finalTransmitted: DeviceTime(ticks: final))
    }
    let check = UInt16(octets[octets.count - 2]) | UInt16(octets[octets.count - 1]) << 8
    isIntact = Self.frameCheck(octets.dropLast(2)) == check
  }

  /// The frame check sequence of IEEE 802.15.4-2020, 7.2.11: x¹⁶ + x¹² + x⁵ + 1, least significant bit first, from 0.
  static func frameCheck(_ octets: some Sequence<UInt8>) -> UInt16 {
    octets.reduce(0) { remainder, octet in
      (0..<8).reduce(remainder ^ UInt16(octet)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
    }
  }
}
