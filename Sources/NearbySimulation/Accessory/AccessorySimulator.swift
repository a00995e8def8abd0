import NearbySession
import UWBDSP

/// An accessory's end of the handshake: message bytes in, the answers' bytes out. It moves no bytes itself.
///
/// `0x0A` initialize is answered with its configuration data (0x01), `0x0B` configure and start with 0x02 once it ranges,
/// `0x0C` stop with 0x03. A message whose id it does not know is kept in `others` and not answered; one that is malformed
/// throws, and changes nothing. Starting again with other parameters takes the new ones.
public struct AccessorySimulator: Sendable, Hashable {
  /// What it says of itself.
  public let configuration: AccessoryConfigurationData
  /// What it ranges by; `nil` while it does not range.
  public private(set) var ranging: ShareableConfigurationData?
  /// Messages that were not for it, in order.
  public private(set) var others: [AccessoryMessage] = []

  /// An accessory with this configuration data.
  public init(_ configuration: AccessoryConfigurationData) {
    self.configuration = configuration
  }

  /// Whether the accessory ranges.
  public var isRanging: Bool { ranging != nil }

  /// Takes one message and returns the answers, each a whole message.
  public mutating func receive(_ bytes: some Sequence<UInt8>) throws(AccessoryMessageError) -> [[UInt8]] {
    let message = try AccessoryMessage(bytes: bytes)
    switch message {
    case .initialize:
      return [AccessoryMessage.configurationData(configuration).bytes]
    case .configureAndStart(let parameters):
      ranging = parameters
      return [AccessoryMessage.started.bytes]
    case .stop:
      ranging = nil
      return [AccessoryMessage.stopped.bytes]
    case .configurationData, .started, .stopped, .other:
      others.append(message)
      return []
    }
  }

  /// It stops by itself, a flat battery say; the message that it sends where it still can.
  public mutating func stop() -> [UInt8] {
    ranging = nil
    return AccessoryMessage.stopped.bytes
  }

  /// Seconds from one exchange to the next; `nil` while it does not range.
  public var period: Double? {
    ranging.map { max(0.001, 1e-3 * Double($0.blockMilliseconds)) }
  }
}

extension AccessoryConfigurationData {
  /// What a simulated accessory says of itself.
  public static func simulated(
    shortAddress: UInt16, preferredUpdateRate: UpdateRate = .automatic, clockDriftppm: UInt16? = nil
  ) -> AccessoryConfigurationData {
    AccessoryConfigurationData(
      version: AccessoryProtocolVersion(major: 1, minor: clockDriftppm == nil ? 0 : 1),
      preferredUpdateRate: preferredUpdateRate, uwbVersion: AccessoryProtocolVersion(major: 1, minor: 1),
      manufacturer: 0, model: 0, middleware: 0, role: .controleeResponder, shortAddress: shortAddress,
      clockDriftppm: clockDriftppm)
  }
}
