import UWBTypes

extension HostCore {
  /// Brings a measurement to the session that it was made for, if that runs.
  public mutating func deliver(
    _ measurement: RangingMeasurement, of link: RangingLink, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    guard let slot = slot(of: link) else {
      undelivered += 1
      return
    }
    update(slot, with: measurement, into: &events)
  }

  /// The radio can't range a link, or none: the sessions end.
  public mutating func fail(
    _ link: RangingLink?, _ reason: String, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    let failed = link.map { slot(of: $0).map { [$0] } ?? [] } ?? slots.indices.filter { slots[$0].phase == .running }
    for slot in failed { invalidate(slot, with: NearbyError(.sessionFailed, reason), into: &events) }
  }

  /// Whether a session ranges on this link.
  public func isRanging(_ link: RangingLink) -> Bool { slot(of: link) != nil }

  /// How a running session's link is to be ranged.
  public func parameters(of link: RangingLink) -> RangingParameters? {
    guard let slot = slot(of: link) else { return nil }
    switch slots[slot].configuration {
    case .accessory(let accessory):
      return slots[slot].shared.map { RangingParameters($0, accessory: accessory.accessoryData) }
    case .peer:
      return RangingParameters(local: link.localToken, peer: link.peerToken, settings: settings.accessoryRanging)
    case nil:
      return nil
    }
  }

  /// The running session of a link.
  private func slot(of link: RangingLink) -> Int? {
    guard let slot = slotsByToken[link.localToken], slots[slot].phase == .running,
      slots[slot].peerToken == link.peerToken
    else { return nil }
    return slot
  }
}
