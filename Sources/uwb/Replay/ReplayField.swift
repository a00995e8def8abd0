/// One field of an event of `replay --output ndjson`, described once: JSON schemas are made from it.
struct ReplayField: Sendable {
  /// What a value is where it is not `null`.
  indirect enum Kind: Sendable {
    case text
    case number
    case integer
    case numbers
    case object([ReplayField])
    case objects([ReplayField])
    /// Names with a count each.
    case counts
  }

  var name: String
  var kind: Kind
  /// Meaning and unit, as in the reference.
  var summary: String
  /// Whether the field may be left out.
  var isOptional = false

  init(_ name: String, _ kind: Kind, _ summary: String, isOptional: Bool = false) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.isOptional = isOptional
  }

  /// The events, with their fields in the order in which they are written.
  static let events: [(name: String, summary: String, fields: [ReplayField])] = [
    ("update", "An exchange that became an update.", update),
    ("rejected", "An exchange without a result.", identity + [Self("reason", .text, "why")]),
    (
      "removed", "A peer that is gone.",
      [
        Self("capture", .text, "file name"), Self("peer", .text, "address, hexadecimal"),
        Self("reason", .text, "timeout or peerEnded"), Self("time_s", .number, "s since the capture's first exchange"),
      ]
    ),
    ("capture", "Totals of one capture.", [Self("capture", .text, "file name")] + totals),
    ("summary", "Totals of all captures.", [Self("captures", .integer, "number of captures")] + totals),
  ]

  private static let identity = [
    Self("capture", .text, "file name"), Self("exchange", .integer, "counts from 0 in the capture"),
    Self("time_s", .number, "s since the capture's first exchange"), Self("peer", .text, "address, hexadecimal"),
  ]

  private static let totals = [
    Self("exchanges", .integer, "exchanges"), Self("updates", .integer, "updates"),
    Self("rejected", .counts, "rejected exchanges by reason"),
    Self("fallbacks", .counts, "updates by an estimator that stood in"),
    Self("skipped_input", .counts, "skipped input by reason"), Self("seconds", .number, "s of capture time"),
  ]

  private static let update =
    identity + [
      Self("distance_m", .number, "m, delivered"), Self("distance_std_m", .number, "m, standard deviation"),
      Self("direction", .numbers, "unit vector to the peer: +x right, +y up, -z out of the back"),
      Self("azimuth_deg", .number, "degrees, positive to the right"),
      Self("elevation_deg", .number, "degrees, positive upwards"),
      Self("azimuth_std_deg", .number, "degrees, standard deviation"),
      Self("elevation_std_deg", .number, "degrees, standard deviation"),
      Self("direction_status", .text, "ok, ambiguous, outsideFieldOfView or unusable"),
      Self(
        "alternatives",
        .objects([
          Self("azimuth_deg", .number, "degrees"), Self("elevation_deg", .number, "degrees"),
          Self("azimuth_std_deg", .number, "degrees"), Self("elevation_std_deg", .number, "degrees"),
        ]), "another direction that explains the antennas, one at most"),
      Self("raw_distance_m", .number, "m, of this exchange alone"),
      Self("raw_distance_std_m", .number, "m, standard deviation"),
      Self("calibrated_distance_m", .number, "m, raw less what the calibration knows"),
      Self("calibrated_distance_std_m", .number, "m, standard deviation"),
      Self("range_bias_m", .number, "m, estimated excess of the raw distance"),
      Self("range_bias_std_m", .number, "m, deviation of what is left"),
      Self("line_of_sight_probability", .number, "0 to 1"),
      Self(
        "first_path_taps",
        .object([
          Self("poll", .number, "taps"), Self("response", .number, "taps"), Self("final", .number, "taps"),
        ]), "taps, by message"),
      Self("snr_db", .number, "dB, of the weakest reception"),
      Self("clock_offset_ppm", .number, "ppm, peer's clock rate over the local one, less 1"),
      Self("clock_rejections", .integer, "exchanges in a row that contradict the clock in use", isOptional: true),
      Self("chip_distance_m", .number, "m, by the device's own software"),
      Self("chip_raw_distance_m", .number, "m, by the device's own software"),
      Self("chip_azimuth_deg", .number, "degrees, the device's own"),
      Self("chip_elevation_deg", .number, "degrees, the device's own"),
      Self("true_distance_m", .number, "m, where the capture knows it"),
      Self("true_azimuth_deg", .number, "degrees, where the capture knows it"),
      Self("true_elevation_deg", .number, "degrees, where the capture knows it"),
      Self("fallback", .text, "the estimator that stood in"), Self("status", .text, "ok or outlier"),
    ]

  /// A JSON schema of an event. Each field has one type, without `null`: readers such as Foxglove's take no others.
  static func schema(_ name: String, _ summary: String, _ fields: [ReplayField]) -> [UInt8] {
    let event = ReplayField("event", .text, "kind of event")
    let title = "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"uwb.\(name)\","
    let text = "{\(title)\"description\":\"\(summary) Absent values are null.\",\(body([event] + fields))}"
    return Array(text.utf8)
  }

  private static func body(_ fields: [ReplayField]) -> String {
    let properties = fields.map { "\"\($0.name)\":{\($0.type),\"description\":\"\($0.summary)\"}" }
    let required = fields.filter { !$0.isOptional }.map { "\"\($0.name)\"" }
    return "\"type\":\"object\",\"properties\":{\(properties.joined(separator: ","))},"
      + "\"required\":[\(required.joined(separator: ","))]"
  }

  private var type: String {
    switch kind {
    case .text: "\"type\":\"string\""
    case .number: "\"type\":\"number\""
    case .integer: "\"type\":\"integer\""
    case .numbers: "\"type\":\"array\",\"items\":{\"type\":\"number\"}"
    case .object(let fields): Self.body(fields)
    case .objects(let fields): "\"type\":\"array\",\"items\":{\(Self.body(fields))}"
    case .counts: "\"type\":\"object\",\"properties\":{},\"additionalProperties\":{\"type\":\"integer\"}"
    }
  }
}
