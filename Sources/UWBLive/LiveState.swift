/// What a live page knows of its stream: devices with their peers, session events, counts.
///
/// Memory is bounded whatever the stream holds: peers of a device, devices, events and reasons have a limit each.
package struct LiveState: Sendable {
  /// Where the stream comes from.
  package enum Kind: String, Sendable, Encodable {
    case replay, pipe, radio, room
  }

  /// Devices that are remembered.
  package static let maximumDeviceCount = 1000
  /// Peers of a device that are remembered: the ones heard last.
  package static let maximumPeerCount = 200
  /// Session events of a device that are remembered.
  package static let maximumEventCount = 30

  /// One device's view.
  struct Device: Sendable {
    var peers: [String: LivePeer] = [:]
    var events: [LiveEvent] = []
    var impulseResponse: LiveImpulseResponse?
    var time: Double?
    /// Changes of this view, so that nothing is sent twice.
    var version = 0
  }

  /// Name of the stream, as the page's heading shows it.
  package let title: String
  /// Where the stream comes from.
  package let kind: Kind
  /// Counts of the whole stream.
  package var counts = LiveCounts()
  /// How the stream ended; `nil` while it runs.
  package private(set) var end: String?
  private(set) var devices: [String: Device] = [:]
  /// In the order in which they are offered.
  private(set) var deviceNames: [String] = []
  private var updateRate = RateMeter()
  private var exchangeRate = RateMeter()

  /// - Parameters:
  ///   - title: name of the stream
  ///   - kind: where it comes from
  ///   - devices: whose views there are; the first one is shown unless another is asked for
  package init(title: String, kind: Kind, devices: [String]) {
    self.title = title
    self.kind = kind
    deviceNames = Array(devices.prefix(Self.maximumDeviceCount))
    for name in deviceNames { self.devices[name] = Device() }
  }

  // MARK: From the source

  /// A distance or a direction of a peer was delivered.
  ///
  /// - Parameters:
  ///   - peer: what is known of the peer now; its counts are added to
  ///   - device: whose view
  ///   - now: s, of any steady clock
  package mutating func update(_ peer: LivePeer, of device: String, now: Double) {
    updateRate.count(at: now)
    change(device, peer.name, at: peer.time) { known in
      var peer = peer
      peer.updates = known.updates + 1
      peer.rejected = known.rejected
      known = peer
    }
  }

  /// An exchange gave nothing.
  package mutating func reject(_ peer: String, of device: String, reason: String, time: Double?) {
    change(device, peer, at: time) { known in
      known.rejected += 1
      known.lastReason = reason
    }
  }

  /// A peer has left.
  package mutating func remove(_ peer: String, of device: String, time: Double?) {
    change(device, peer, at: time) { $0.isGone = true }
  }

  /// Something happened to a session.
  package mutating func note(_ event: LiveEvent, of device: String) {
    with(device) { view in
      view.events.append(event)
      if view.events.count > Self.maximumEventCount { view.events.removeFirst() }
      view.version += 1
    }
  }

  /// The last channel impulse response.
  package mutating func show(_ response: LiveImpulseResponse, of device: String) {
    with(device) { view in
      view.impulseResponse = response
      view.version += 1
    }
  }

  /// An exchange was read, whatever came of it.
  package mutating func countExchange(now: Double) {
    exchangeRate.count(at: now)
    counts.exchanges += 1
  }

  /// The stream has ended.
  package mutating func finish(_ how: String) {
    guard end == nil else { return }
    end = how
    for name in devices.keys { devices[name]?.version += 1 }
  }

  private mutating func change(
    _ device: String, _ peer: String, at time: Double?, _ body: (inout LivePeer) -> Void
  ) {
    with(device) { view in
      var known = view.peers[peer] ?? LivePeer(name: peer)
      body(&known)
      known.time = time ?? known.time
      view.time = time ?? view.time
      view.peers[peer] = known
      view.version += 1
      if view.peers.count > Self.maximumPeerCount,
        let oldest = view.peers.values.min(by: { ($0.isGone ? 0 : 1, $0.time ?? 0) < ($1.isGone ? 0 : 1, $1.time ?? 0) }
        )
      {
        view.peers[oldest.name] = nil
      }
    }
  }

  private mutating func with(_ device: String, _ body: (inout Device) -> Void) {
    if devices[device] == nil {
      guard devices.count < Self.maximumDeviceCount else { return }
      deviceNames.append(device)
    }
    body(&devices[device, default: Device()])
  }

  // MARK: For the page

  /// The name of the device that is shown where `asked` is asked for.
  func shown(_ asked: String?) -> String? {
    if let asked, devices[asked] != nil { return asked }
    return deviceNames.first
  }

  /// How often the view of `device` has changed.
  func version(of device: String?) -> Int {
    device.flatMap { devices[$0]?.version } ?? 0
  }

  /// What the page of `device` draws.
  func snapshot(of device: String?, now: Double, clients: Int) -> LiveSnapshot {
    let view = device.flatMap { devices[$0] } ?? Device()
    return LiveSnapshot(
      title: title, kind: kind, devices: deviceNames, device: device, time: view.time, end: end,
      peers: view.peers.values.sorted { $0.name < $1.name }, impulseResponse: view.impulseResponse,
      events: view.events.reversed(), counts: counts, exchangesPerSecond: exchangeRate.perSecond(at: now),
      updatesPerSecond: updateRate.perSecond(at: now), clients: clients)
  }
}
