extension HostCore {
  /// Lets time pass: what falls due by then happens, the earliest first.
  public mutating func advance(to time: Double, into events: inout [SessionEvent]) {
    take(time)
    guard now > earliestDeadline else { return }
    expire(into: &events)
  }

  /// When `advance` next has something to do, at the earliest; `nil` for never.
  public var nextDeadline: Double? {
    slots.lazy.compactMap { $0.deadline(settings) }.min()
  }

  /// Going to the background suspends the sessions on the air, but for those that a Bluetooth link keeps alive. Coming
  /// back ends the suspension and resumes nothing: that is for the app.
  public mutating func setApplicationState(
    _ state: ApplicationState, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    guard state != applicationState else { return }
    applicationState = state
    for slot in slots.indices {
      switch state {
      case .background where slots[slot].isActive && slots[slot].configuration?.bluetoothPeerIdentifier == nil:
        stop(slot, as: .suspended, into: &events)
        slots[slot].suspendedSince = now
        noteDeadline(of: slot)
        emit(.suspended, from: slot, into: &events)
      case .foreground where slots[slot].phase == .suspended:
        slots[slot].phase = .paused
        emit(.suspensionEnded, from: slot, into: &events)
      case .background, .foreground:
        break
      }
    }
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

  mutating func noteDeadline(of slot: Int) {
    guard let deadline = slots[slot].deadline(settings) else { return }
    earliestDeadline = min(earliestDeadline, deadline)
  }

  /// A clock set back starts every wait anew; a reading that is a little late changes nothing.
  private mutating func take(_ time: Double) {
    guard time.isFinite, time < now else {
      if time.isFinite { now = time }
      return
    }
    guard now - time > Self.disorder else { return }
    now = time
    for slot in slots.indices {
      slots[slot].lastActivity = min(slots[slot].lastActivity, time)
      slots[slot].suspendedSince = min(slots[slot].suspendedSince, time)
    }
    earliestDeadline = nextDeadline ?? .infinity
  }

  private mutating func expire(into events: inout [SessionEvent]) {
    var due: [(deadline: Double, slot: Int)] = []
    for slot in slots.indices {
      if let deadline = slots[slot].deadline(settings), now > deadline { due.append((deadline, slot)) }
    }
    due.sort { ($0.deadline, $0.slot) < ($1.deadline, $1.slot) }
    for (deadline, slot) in due {
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
    earliestDeadline = nextDeadline ?? .infinity
  }
}
