import UWBTypes

/// What ranges: a chip, a simulated room, a recording. `NearbyHost.attach` does the rest.
///
/// A radio ranges each link from `start` to `stop` and reports every round, the missed ones too. It needs no clock in common with the host, and may
/// report on any task. When its reports end it is gone, and sessions are suspended until a radio is attached again.
public protocol RangingRadio: Sendable {
  /// What the radio can measure.
  var capabilities: DeviceCapabilities { get }
  /// The short address that the radio always has; `nil` for one that takes a new one for each link.
  var address: DeviceAddress? { get }
  /// What the radio has to say, once.
  var reports: AsyncStream<RadioReport> { get }
  /// Ranges a link, or ranges it anew with other parameters after `stop`. An error ends the session.
  func start(_ link: RangingLink, parameters: RangingParameters) async throws
  /// Stops ranging on a link.
  func stop(_ link: RangingLink) async
}

/// What a radio says.
public enum RadioReport: Sendable {
  /// An exchange with timestamps and impulse responses, for the engine. Or what a chip has measured by itself, with impulse responses: an
  /// engine, where there is one, tells line of sight of them.
  case exchange(RangingExchange, of: RangingLink)
  /// The result of a chip that ranges by itself.
  case measured(RadioMeasurement, of: RangingLink)
  /// A round without a result: the peer was not heard.
  case missed(RangingLink)
  /// The radio is busy with something else; sessions are suspended.
  case suspended
  /// The radio can range again.
  case resumed
  /// One link can't go on, or none can.
  case failed(String, of: RangingLink?)
}
