extension HostCore {
  /// Lets time pass: what falls due by then happens, the earliest first.
  public mutating func advance(to time: Double, into events: inout [SessionEvent]) {
    take(time)
    guard let first = deadlines.first, now > first.deadline else { return }
    expire(into: &events)
  }

  /// When `advance` next has something to do, at the earliest; `nil` for never.
  public var nextDeadline: Double? {
    slots.lazy.compactMap { $0.deadline(settings) }.min()
  }

  /// Going to the background suspends the sessions on the air, but for those that a Bluetooth link keeps alive.
  public mutating func setApplicationState(
    _ state: ApplicationState, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    applicationState = state
    applyConditions(into: &events)
  }

  /// A radio that is busy or gone suspends all sessions on the air.
  public mutating func setRadioAvailable(_ isAvailable: Bool, at time: Double, into events: inout [SessionEvent]) {
    advance(to: time, into: &events)
    isRadioAvailable = isAvailable
    applyConditions(into: &events)
  }

  /// How the user holds the device, from the next measurement on.
  public mutating func setOrientation(
    _ orientation: DeviceOrientation, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    self.orientation = orientation
  }

  /// What prevents a session with this configuration from running now; `nil` for nothing.
  func condition(against configuration: NearbyConfiguration?) -> String? {
    if !isRadioAvailable { return "the radio is busy or unavailable" }
    if applicationState == .background, configuration?.bluetoothPeerIdentifier == nil {
      return "the app is in the background"
    }
    return nil
  }

  /// The Bluetooth link to an accessory is gone: sessions that live by it end.
  public mutating func accessoryUnavailable(
    bluetoothPeerIdentifier: String, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    for slot in slots.indices where slots[slot].isActive {
      guard slots[slot].configuration?.bluetoothPeerIdentifier == bluetoothPeerIdentifier else { continue }
      invalidate(
        slot, with: NearbyError(.accessoryPeerDeviceUnavailable, "the accessory's Bluetooth link is gone"),
        into: &events)
    }
  }

  // MARK: Inside

  /// Suspends what can't go on. The end of a condition ends the suspension and resumes nothing: that is for the app.
  private mutating func applyConditions(into events: inout [SessionEvent]) {
    for slot in slots.indices {
      let isPrevented = condition(against: slots[slot].configuration) != nil
      if slots[slot].isActive, isPrevented {
        stop(slot, as: .suspended, into: &events)
        slots[slot].suspendedSince = now
        noteDeadline(of: slot)
        emit(.suspended, from: slot, into: &events)
      } else if slots[slot].phase == .suspended, !isPrevented {
        slots[slot].phase = .paused
        emit(.suspensionEnded, from: slot, into: &events)
      }
    }
  }

  mutating func noteDeadline(of slot: Int) {
    guard let deadline = slots[slot].deadline(settings), deadline < slots[slot].queuedDeadline else { return }
    slots[slot].queuedDeadline = deadline
    deadlines.insert(.init(deadline: deadline, slot: slot, generation: slots[slot].generation))
  }

  /// A clock set back starts every wait anew; a reading that is a little late changes nothing.
  private mutating func take(_ time: Double) {
    guard time.isFinite, time < now else {
      if time.isFinite { now = time }
      return
    }
    guard now - time > Self.disorder else { return }
    now = time
    deadlines.removeAll()
    for slot in slots.indices {
      slots[slot].lastActivity = min(slots[slot].lastActivity, time)
      slots[slot].suspendedSince = min(slots[slot].suspendedSince, time)
      slots[slot].queuedDeadline = .infinity
      noteDeadline(of: slot)
    }
  }

  /// Takes the sessions that are due from the queue, the earliest first and those of one time as they were made.
  private mutating func takeDue() -> [(deadline: Double, slot: Int)] {
    var due: [(deadline: Double, slot: Int)] = []
    while let entry = deadlines.first, now > entry.deadline {
      deadlines.removeFirst()
      let state = slots[entry.slot]
      guard state.generation == entry.generation, state.queuedDeadline == entry.deadline else { continue }
      slots[entry.slot].queuedDeadline = .infinity
      guard let deadline = state.deadline(settings) else { continue }
      if now > deadline { due.append((deadline, entry.slot)) } else { noteDeadline(of: entry.slot) }
    }
    return due.sorted { ($0.deadline, slots[$0.slot].generation) < ($1.deadline, slots[$1.slot].generation) }
  }

  private mutating func expire(into events: inout [SessionEvent]) {
    for (deadline, slot) in takeDue() {
      if slots[slot].phase == .suspended {
        let error = NearbyError(.resourceUsageTimeout, "suspended for too long")
        invalidate(slot, with: error, at: deadline, into: &events)
      } else if slots[slot].isPeerPresent, let token = slots[slot].peerToken {
        slots[slot].isPeerPresent = false
        stop(slot, as: .paused, at: deadline, into: &events)
        emit(
          .removed(NearbyObject(discoveryToken: token, time: deadline), .timeout), from: slot, at: deadline,
          into: &events)
      } else {
        let error = NearbyError(.resourceUsageTimeout, "ran for too long without its peer")
        invalidate(slot, with: error, at: deadline, into: &events)
      }
    }
  }
}
