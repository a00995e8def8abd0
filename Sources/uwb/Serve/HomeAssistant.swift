import UWBTypes

/// The message by which Home Assistant discovers the peers of an ndjson stream on MQTT: one device, two sensors a peer.
///
/// https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
struct HomeAssistant {
  /// Where `mosquitto_pub -l` publishes the stream.
  let topic: String
  /// Addresses as the stream prints them; empty for one sensor that takes every peer.
  let peers: [String]

  /// One line of JSON.
  var discovery: String {
    let components = (peers.isEmpty ? [nil] : peers.map(Optional.some)).flatMap { peer in
      [
        Self.sensor(peer, "distance", "\"device_class\":\"distance\",\"unit_of_measurement\":\"m\"", "distance_m", 2),
        Self.sensor(peer, "azimuth", "\"unit_of_measurement\":\"°\"", "azimuth_deg", 0),
      ]
    }
    return """
      {"device":{"identifiers":["uwb"],"name":"UWB ranging"},"origin":{"name":"uwb","sw_version":"\(Version.number)"},\
      "components":{\(components.joined(separator: ","))},"state_topic":"\(topic)"}
      """
  }

  private static func sensor(_ peer: String?, _ kind: String, _ unit: String, _ field: String, _ digits: Int) -> String
  {
    let id = "uwb_\(peer.map { "\($0)_" } ?? "")\(kind)"
    let name = peer.map { "\($0) \(kind)" } ?? kind.capitalized
    let whose = peer.map { " and value_json.peer == '\($0)'" } ?? ""
    // An empty state is no state: lines of other events and other peers leave the sensor as it is.
    let template =
      "{% if value_json.event == 'update'\(whose) and value_json.\(field) is not none %}"
      + "{{ value_json.\(field) | round(\(digits)) }}{% endif %}"
    return """
      "\(id)":{"platform":"sensor","unique_id":"\(id)","name":"\(name)",\(unit),"state_class":"measurement",\
      "expire_after":10,"value_template":"\(template)"}
      """
  }
}
