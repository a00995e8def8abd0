import ArgumentParser
import NearbySession
import NearbyUCI
import UWBCapture
import UWBDSP

/// How a UCI session is to range: options, or an accessory's shareable configuration data.
struct RangeParameters: ParsableArguments {
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case controller, controlee
  }

  @Option(help: "Which end this radio is: the controller begins each round.")
  var role = Role.controller

  @Option(
    name: .customLong("peer"),
    help: ArgumentHelp("A peer's short address, hexadecimal; 0001, as a controlee 0000.", valueName: "addr"),
    transform: Self.address)
  var peers: [UInt16] = []

  @Option(
    help: ArgumentHelp("This radio's short address, hexadecimal; 0000, as a controlee 0001.", valueName: "addr"),
    transform: Self.address)
  var address: UInt16?

  @Option(help: ArgumentHelp("The session's id, which must be the peer's too; 42.", valueName: "n"))
  var session: UInt32?

  @Option(help: ArgumentHelp("5 or 9; 9.", valueName: "n"))
  var channel: UInt8?

  @Option(
    help: ArgumentHelp("Rounds a second; 5.", valueName: "hz"),
    transform: OptionRange.reader(OptionRange.rate))
  var rate: Double?

  @Option(
    help: ArgumentHelp(
      "An accessory's shareable configuration data: session, channel, timing, keys and peer are as it says.",
      valueName: "hex"))
  var accessory: String?

  @Option(
    name: .customLong("param"),
    help: ArgumentHelp(
      "A parameter of the session by its name, or by its number with bytes in hexadecimal: sts-iv=010203040506, 0xE8=01.",
      valueName: "name=value"),
    transform: Self.parameter)
  var parameters: [UCIParameter] = []

  func validate() throws {
    guard accessory != nil else { return }
    let given = [
      ("--peer", !peers.isEmpty), ("--session", session != nil), ("--channel", channel != nil), ("--rate", rate != nil),
    ]
    if let name = given.first(where: \.1)?.0 {
      throw ValidationError("--accessory says what \(name) says. Give one of the two.")
    }
  }

  /// All parameters; what `--param` sets takes the place of what the other options say.
  func makeSession() throws -> (id: UInt32, parameters: [UCIParameter]) {
    let ranging = try ranging()
    let changed = Set(parameters.map(\.id))
    return (ranging.sessionID, ranging.parameters.filter { !changed.contains($0.id) } + parameters)
  }

  private func ranging() throws -> UCIRangingParameters {
    let isController = role == .controller
    let own = address ?? (isController ? 0 : 1)
    if let accessory { return try Self.ranging(accessory, isController: isController, own: own) }
    var ranging = UCIRangingParameters(
      sessionID: session ?? 42, isController: isController, address: own,
      peers: peers.isEmpty ? [isController ? 1 : 0] : peers, staticInitialVector: [1, 2, 3, 4, 5, 6])
    ranging.channel = channel ?? 9
    ranging.blockMilliseconds = UInt32(max(1, (1000 / (rate ?? 5)).rounded()))
    // The longest slot, 3, 2 or 1 ms, with which a round has room in its block.
    let slots = UInt32(ranging.slotsPerRound)
    ranging.slotRSTU = [3, 2].first { $0 * slots <= ranging.blockMilliseconds }.map { UInt16($0 * 1200) } ?? 1200
    return ranging
  }

  private static func ranging(_ text: String, isController: Bool, own: UInt16) throws -> UCIRangingParameters {
    let remedy = "Give the data that the app sends the accessory, as uwb accessory decode reads it."
    guard let bytes = HexText.bytes(text), !bytes.isEmpty else {
      throw CaptureError(file: "--accessory", problem: "is not hexadecimal", remedy: remedy)
    }
    let shared: ShareableConfigurationData
    do {
      // With the message's id before it, or without.
      shared = try ShareableConfigurationData(data: bytes.first == 0x0B ? bytes.dropFirst() : bytes[...])
    } catch {
      throw CaptureError(file: "--accessory", problem: "\(error)", remedy: remedy)
    }
    guard let slots = UInt8(exactly: shared.slotsPerRound) else {
      throw CaptureError(file: "--accessory", problem: "a round of \(shared.slotsPerRound) slots", remedy: remedy)
    }
    let vector = shared.stsInitialVector.rawValue
    var ranging = UCIRangingParameters(
      sessionID: shared.sessionIdentifier, isController: isController, address: own,
      peers: [shared.destinationAddress],
      staticInitialVector: (0..<6).map { UInt8(truncatingIfNeeded: vector >> (40 - 8 * $0)) })
    ranging.channel = shared.channel
    ranging.preambleCode = shared.preambleIndex
    ranging.slotsPerRound = slots
    ranging.slotRSTU = shared.slotRSTU
    ranging.blockMilliseconds = UInt32(shared.blockMilliseconds)
    ranging.roundControl = shared.roundControl
    return ranging
  }

  @Sendable
  private static func address(_ text: String) throws -> UInt16 {
    let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
    guard digits.allSatisfy(\.isHexDigit), let address = UInt16(digits, radix: 16) else {
      throw ValidationError("“\(text)” is not a short address: give up to four hexadecimal digits.")
    }
    return address
  }

  @Sendable
  private static func parameter(_ text: String) throws -> UCIParameter {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw ValidationError("Give --param NAME=VALUE.") }
    if parts[0].hasPrefix("0x"), let number = UInt16(parts[0].dropFirst(2), radix: 16) {
      guard let bytes = HexText.bytes(parts[1]), bytes.count <= 255 else {
        throw ValidationError("The value of \(parts[0]) is given as bytes, two hexadecimal digits each.")
      }
      return UCIParameter(UCIParameterID(rawValue: number), bytes)
    }
    guard let known = UCIParameterID.named.first(where: { $0.name == parts[0] }) else {
      throw Usage.unknown("parameter", parts[0], UCIParameterID.named.map(\.name))
    }
    // Keys and identifiers are bytes in the order of the wire, everything else is a number.
    if known.id == .vendorID || known.id == .staticInitialVector {
      guard let bytes = HexText.bytes(parts[1]), bytes.count == known.octets else {
        throw ValidationError("\(known.name) has \(known.octets) bytes, two hexadecimal digits each.")
      }
      return UCIParameter(known.id, bytes)
    }
    guard let value = UInt64(parts[1]), value >> UInt64(8 * known.octets) == 0 else {
      throw ValidationError("\(known.name) is a number from 0 to \(UInt64(1) << UInt64(8 * known.octets) - 1).")
    }
    return UCIParameter(known.id, (0..<known.octets).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) })
  }
}
