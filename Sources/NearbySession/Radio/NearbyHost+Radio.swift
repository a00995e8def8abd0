import UWBTracking
import UWBTypes

extension NearbyHost {
  /// A host for one radio, with its capabilities and its address in the tokens, attached.
  ///
  /// - Parameters: as of the other initializer and of `attach`.
  public convenience init(
    radio: some RangingRadio, engine: (any RangingProcessSource)? = nil, settings: NearbySettings = NearbySettings(),
    clock: (any NearbyClock)? = nil, permission: NearbyPermission? = nil, request: NearbyPermissionRequest? = nil,
    tokens: TokenGenerator = .system
  ) {
    self.init(
      settings: settings, deviceCapabilities: radio.capabilities, clock: clock, permission: permission,
      request: request,
      tokens: tokens)
    transact { core, _, _ in core.radioAddress = radio.address }
    attach(radio, engine: engine)
  }

  /// Lets `radio` range the sessions' links, from now on and until another is attached, `detach` is called or its reports end.
  ///
  /// Ready measurements and exchanges are tracked alike, and reach the session that they were made for. Suspension and failure reach the
  /// sessions too.
  ///
  /// - Parameters:
  ///   - engine: measures exchanges; needed by radios that report any.
  ///   - tracking: how each peer is smoothed; `nil` delivers every measurement as it is.
  public func attach(
    _ radio: some RangingRadio, engine: (any RangingProcessSource)? = nil,
    tracking: PeerTracker.Configuration? = PeerTracker.Configuration()
  ) {
    let (changes, links) = subscribeToLinks()
    let starting = Task { [weak self] in
      var ranging: Set<RangingLink> = []
      for link in links where await self?.start(link, on: radio) == true { ranging.insert(link) }
      for await change in changes {
        switch change {
        case .started(let link): if await self?.start(link, on: radio) == true { ranging.insert(link) }
        case .stopped(let link): if ranging.remove(link) != nil { await radio.stop(link) }
        case .ended(let token):
          for link in ranging where link.localToken == token {
            ranging.remove(link)
            await radio.stop(link)
          }
        }
      }
      for link in ranging { await radio.stop(link) }
    }
    let reports = radio.reports
    let reporting = Task { [weak self] in
      var receiver = RadioReceiver(engine: engine, tracking: tracking)
      for await report in reports {
        guard let self else { return }
        receiver.take(report, for: self)
      }
      // A radio that was detached says nothing of the one that took its place.
      if !Task.isCancelled { self?.setRadioAvailable(false) }
    }
    replaceRadio(by: [starting, reporting])
    setRadioAvailable(true)
  }

  /// Lets go of the radio; sessions are suspended.
  public func detach() {
    replaceRadio(by: [])
    setRadioAvailable(false)
  }

  /// The parameters with which a running session's link is to be ranged; `nil` where it runs no more.
  public func parameters(of link: RangingLink) -> RangingParameters? {
    read { $0.parameters(of: link) }
  }

  /// Whether the radio ranges the link.
  private func start(_ link: RangingLink, on radio: some RangingRadio) async -> Bool {
    // A session that runs no more was stopped since.
    guard let parameters = parameters(of: link) else { return false }
    do {
      try await radio.start(link, parameters: parameters)
      return true
    } catch {
      fail(link, "the radio could not start: \(error)")
      return false
    }
  }

  func fail(_ link: RangingLink?, _ reason: String) {
    transact { core, now, events in core.fail(link, reason, at: now, into: &events) }
  }
}

/// Makes of one radio's reports what a host is told.
private struct RadioReceiver {
  private let process: (any RangingProcess)?
  /// Of a radio that needs no engine.
  private var trackers: EachPair<PeerTracker>?

  init(engine: (any RangingProcessSource)?, tracking: PeerTracker.Configuration?) {
    process = engine?.makeProcess(tracking: tracking)
    trackers = engine == nil ? tracking.map { EachPair(PeerTracker($0)) } : nil
  }

  mutating func take(_ report: RadioReport, for host: NearbyHost) {
    switch report {
    case .exchange(var exchange, let link):
      (exchange.peer, exchange.local) = (link.peerAddress, link.localAddress)
      // A radio that ranges by itself has a clock of its own, and needs no engine.
      if let ready = exchange.ready {
        exchange.time = host.now
        guard process != nil, host.read({ $0.isRanging(link) }) else {
          return take(.measured(ready, of: link), for: host)
        }
      } else if exchange.hasFailed {
        return take(.missed(link), for: host)
      }
      guard let process else {
        return host.fail(link, "the radio reports exchanges, and there is no engine for them")
      }
      host.deliver(process.process(exchange), of: link)
    case .measured(let measured, let link):
      let measurement = measured.measurement(of: link.peerAddress, at: host.now)
      // What comes after the link was stopped is counted, and no part of the track.
      guard host.read({ $0.isRanging(link) }) else { return host.deliver(measurement, of: link) }
      let pair = RadioPair(local: link.localAddress, peer: link.peerAddress)
      let tracked = process?.process(measurement, of: pair) ?? trackers?.update(measurement, of: pair).measurement
      host.deliver(tracked ?? measurement, of: link)
    case .missed(let link):
      host.deliver(
        RangingMeasurement(exchange: 0, time: host.now, peer: link.peerAddress, status: .failedRound), of: link)
    case .suspended: host.setRadioAvailable(false)
    case .resumed: host.setRadioAvailable(true)
    case .failed(let reason, let link): host.fail(link, reason)
    }
  }
}
