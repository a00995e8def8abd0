import UWBTypes

extension HostCore {
  /// Brings one measurement to the sessions that run with its peer: to the one that ranges under the address `local`, or
  /// where there is none such (a capture of a radio with an address of its own) to all of them.
  public mutating func deliver(
    _ measurement: RangingMeasurement, local: DeviceAddress? = nil, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    guard let bound = routes[measurement.peer] else {
      undelivered += 1
      return
    }
    if let local, let slot = bound.first(where: { localAddress(of: $0) == local }) {
      update(slot, with: measurement, into: &events)
      return
    }
    for slot in bound {
      update(slot, with: measurement, into: &events)
    }
  }

  /// Takes the device's pose, for the sessions with assistance.
  public mutating func updatePose(_ pose: NearbyPose, at time: Double, into events: inout [SessionEvent]) {
    advance(to: time, into: &events)
    self.pose = pose
    for slot in slots.indices where slots[slot].isAssisted && slots[slot].phase == .running {
      guard let token = slots[slot].peerToken else { continue }
      assistances[slot]?.take(pose)
      judge(slot, object: NearbyObject(discoveryToken: token, time: now), into: &events)
    }
  }

  /// The peer's place in the world, where assistance has converged on it.
  public func worldTransform(of id: SessionID, for token: DiscoveryToken) -> WorldTransform? {
    guard let slot = index(of: id), slots[slot].peerToken == token, let assistance = assistances[slot],
      assistance.convergence == .converged
    else { return nil }
    return assistance.place.map(WorldTransform.init)
  }

  /// The peer with this token has invalidated its session.
  public mutating func peerEnded(_ token: DiscoveryToken, at time: Double, into events: inout [SessionEvent]) {
    advance(to: time, into: &events)
    // An accessory's token follows from its data and comes back with it.
    if token.kind == .session { endedTokens.insert(token) }
    for slot in slots.indices where slots[slot].peerToken == token {
      let phase = slots[slot].phase
      if phase == .running || (phase == .paused && slots[slot].isPeerPresent) {
        stop(slot, as: .paused, into: &events)
        emit(.removed(NearbyObject(discoveryToken: token, time: now), .peerEnded), from: slot, into: &events)
      }
      slots[slot].isPeerPresent = false
    }
  }

  // MARK: Inside

  mutating func update(
    _ slot: Int, with measurement: RangingMeasurement, into events: inout [SessionEvent]
  ) {
    guard let token = slots[slot].peerToken else { return }
    if measurement.status == .ok {
      slots[slot].lastActivity = now
      if !slots[slot].isPeerPresent {
        slots[slot].isPeerPresent = true
        noteDeadline(of: slot)
      }
    } else if settings.failedMeasurements == .notDelivered {
      return
    }
    var object = NearbyObject(
      measurement, token: token, capabilities: capabilities, limits: settings.limits, orientation: orientation)
    object.time = now
    if slots[slot].isAssisted {
      assistances[slot]?.take(
        measurement, object: &object, pose: pose, settings: settings.assistance, limits: settings.limits)
    }
    emit(.update(object), from: slot, into: &events)
    if slots[slot].isAssisted { judge(slot, object: object, into: &events) }
  }

  private mutating func judge(_ slot: Int, object: NearbyObject, into events: inout [SessionEvent]) {
    guard assistances[slot]?.judge(pose: pose, settings: settings.assistance) == true,
      let convergence = assistances[slot]?.convergence
    else { return }
    emit(.convergence(convergence, for: object), from: slot, into: &events)
  }
}
