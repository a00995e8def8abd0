import UWBTypes

/// The `global` object of a recording: what holds for all of it.
///
/// Fields named `core:` are those of the SigMF specification 1.2; `uwb:` fields are described in
/// `Documentation/reference/SigMF-uwb-extension.md`.
struct SigMFGlobal: Codable, Equatable {
  struct Extension: Codable, Equatable {
    var name: String
    var version: String
    var optional: Bool
  }

  var datatype: String
  var sampleRate: Double?
  var version: String
  var channelCount: Int?
  var recorder: String?
  var sha512: String?
  var extensions: [Extension]?
  var profile: String?
  var antennaPositions: [[Double]]?
  var carrier: Double?
  var notes: [String]?
  var hasPhase: Bool?

  enum CodingKeys: String, CodingKey {
    case datatype = "core:datatype"
    case sampleRate = "core:sample_rate"
    case version = "core:version"
    case channelCount = "core:num_channels"
    case recorder = "core:recorder"
    case sha512 = "core:sha512"
    case extensions = "core:extensions"
    case profile = "uwb:profile"
    case antennaPositions = "uwb:antenna_positions_m"
    case carrier = "uwb:carrier_hz"
    case notes = "uwb:notes"
    case hasPhase = "uwb:phase"
  }
}

/// What a recording calls the messages of an exchange.
package enum SigMFMessageName: String, Sendable {
  case poll, response, final
  case secondPoll = "second_poll"

  /// For people.
  package var text: String { self == .secondPoll ? "second poll" : rawValue }
}

extension RangingExchange {
  /// The messages that there are, by name, in the order in which they were sent.
  package var namedMessages: [(name: SigMFMessageName, message: RangingMessage)] {
    [
      (SigMFMessageName.poll, poll as RangingMessage?), (.response, response), (.secondPoll, secondPoll),
      (.final, final),
    ]
    .compactMap { name, message in message.map { (name, $0) } }
  }
}
