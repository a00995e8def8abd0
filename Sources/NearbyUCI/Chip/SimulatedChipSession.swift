/// One session of a simulated chip.
struct SimulatedChipSession: Sendable {
  /// Without these a session stays as it was made.
  private static let required: [UCIParameterID] = [
    .deviceType, .rangingRoundUsage, .multiNodeMode, .deviceAddress, .deviceRole, .scheduleMode,
  ]

  let id: UInt32
  var state = UCISessionState.initialized
  var parameters: [UCIParameterID: [UInt8]] = [:]
  var sequence: UInt32 = 0
  /// s; while the session ranges
  var nextRound: Double?

  init(id: UInt32) { self.id = id }

  private func number(_ id: UCIParameterID) -> UInt64? {
    parameters[id].flatMap { UCIParameter(id, $0).number }
  }

  var isConfigured: Bool { Self.required.allSatisfy { parameters[$0] != nil } }
  /// s
  var interval: Double { Double(max(1, number(.rangingInterval) ?? 200)) / 1000 }
  var channel: UInt8 { UInt8(clamping: number(.channel) ?? 9) }
  var isInitiator: Bool { number(.deviceRole) == 1 }
  /// `nil` for no limit
  var maximumRounds: UInt32? { number(.maximumMeasurements).flatMap { $0 == 0 ? nil : UInt32(clamping: $0) } }

  var peers: [UInt16] {
    let bytes = parameters[.destinationAddresses] ?? []
    return stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
  }

  /// What is wrong with a parameter; `nil` for nothing.
  static func fault(_ parameter: UCIParameter) -> UCIStatus? {
    guard let lengths = lengths[parameter.id] else {
      // Manufacturers' own, but for those of diagnostics, are not this one's; others of the standard are taken and change nothing.
      return parameter.id.rawValue >= 0xE3 ? .invalidParameter : nil
    }
    guard lengths.contains(parameter.value.count) else { return .invalidMessageSize }
    let number = parameter.number
    switch parameter.id {
    case .channel: return number == 5 || number == 9 ? nil : .invalidRange
    case .controleeCount: return (1...8).contains(number ?? 0) ? nil : .invalidRange
    case .deviceType, .addressMode: return number == 0 || number == 1 ? nil : .invalidRange
    case .rangingInterval: return number == 0 ? .invalidRange : nil
    default: return nil
    }
  }

  /// Octets that a value may have.
  private static let lengths: [UCIParameterID: [Int]] = [
    .deviceType: [1], .rangingRoundUsage: [1], .stsConfiguration: [1], .multiNodeMode: [1], .channel: [1],
    .controleeCount: [1], .deviceAddress: [2], .destinationAddresses: Array(stride(from: 2, through: 16, by: 2)),
    .slotDuration: [2], .rangingInterval: [4], .stsIndex: [4], .frameCheck: [1], .roundControl: [1], .angleRequest: [1],
    .notifications: [1], .notificationNear: [2], .notificationFar: [2], .deviceRole: [1], .frameFormat: [1],
    .signalStrengthReporting: [1], .preambleCode: [1], .startOfFrameDelimiter: [1], .slotsPerRound: [1],
    .scheduleMode: [1], .addressMode: [1], .vendorID: [2], .staticInitialVector: [6], .hopping: [1],
    .maximumRetries: [2], .maximumMeasurements: [2], .stsSegmentCount: [1], .stsLength: [1], .qorvoDiagnostics: [1],
    .qorvoDiagnosticFields: [4],
  ]
}
