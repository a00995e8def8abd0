extension HostCore {
  /// What a call to run a session led to.
  public enum RunOutcome: Sendable, Hashable {
    /// The session runs.
    case running
    /// The user's answer is awaited; the session starts, or ends, with it.
    case awaitingPermission
    /// The same, and it is for the caller to ask, this one time: `answerPermission`.
    case askPermission
  }

  /// Starts or resumes a session.
  ///
  /// Throws without harm where the session is suspended, the app in the background or the radio unavailable, and throws again what ended
  /// the session where it is invalid. Any other error invalidates the session, as in the framework.
  public mutating func run(
    _ id: SessionID, with configuration: NearbyConfiguration, at time: Double, into events: inout [SessionEvent]
  ) throws(NearbyError) -> RunOutcome {
    advance(to: time, into: &events)
    guard let slot = index(of: id) else { throw .invalidatedByApp }
    if let error = slots[slot].error { throw error }
    if slots[slot].phase == .suspended {
      throw NearbyError(.sessionFailed, "the session is suspended; run it when its suspension has ended")
    }
    if let condition = condition(against: configuration) { throw NearbyError(.sessionFailed, condition) }
    if let error = refusal(of: configuration, for: slot) {
      invalidate(slot, with: error, into: &events)
      throw error
    }
    if slots[slot].phase == .running, slots[slot].configuration?.peerAddress == configuration.peerAddress,
      slots[slot].peerToken == configuration.peerToken
    {
      slots[slot].configuration = configuration
      setAssistance(slot)
      rekey(slot, into: &events)
      return .running
    }
    stop(slot, as: .paused, into: &events)
    if slots[slot].peerToken != configuration.peerToken {
      slots[slot].isPeerPresent = false
      assistances[slot] = nil
    }
    slots[slot].configuration = configuration
    slots[slot].peerToken = configuration.peerToken
    guard permission == .granted else {
      slots[slot].phase = .awaitingPermission
      defer { isAskingPermission = true }
      return isAskingPermission ? .awaitingPermission : .askPermission
    }
    start(slot, into: &events)
    return .running
  }

  /// Takes the session off the air; its tokens stay good for the next run.
  public mutating func pause(_ id: SessionID, at time: Double, into events: inout [SessionEvent]) {
    advance(to: time, into: &events)
    guard let slot = index(of: id), slots[slot].isActive else { return }
    stop(slot, as: .paused, into: &events)
  }

  /// Ends the session and its token for good.
  public mutating func invalidate(
    _ id: SessionID, with error: NearbyError = .invalidatedByApp, at time: Double, into events: inout [SessionEvent]
  ) {
    advance(to: time, into: &events)
    guard let slot = index(of: id) else { return }
    invalidate(slot, with: error, into: &events)
  }

  /// Invalidates the session and forgets it: its identifier means nothing from now on.
  public mutating func release(_ id: SessionID, at time: Double, into events: inout [SessionEvent]) {
    invalidate(id, at: time, into: &events)
    guard let slot = index(of: id) else { return }
    generations &+= 1
    slots[slot] = SessionState(generation: generations, phase: .invalidated)
    freeSlots.append(slot)
  }

  // MARK: Permission

  /// The user's first answer, or a later change of mind: declining ends the sessions that run.
  ///
  /// Returns `false`, and changes nothing, where an answer holds until the app exits.
  @discardableResult
  public mutating func setPermission(
    _ answer: NearbyPermission, at time: Double, into events: inout [SessionEvent]
  ) -> Bool {
    advance(to: time, into: &events)
    if settings.permissionHoldsUntilExit, permission != .undetermined { return false }
    permission = answer
    isPermissionExpected = true
    guard answer != .undetermined else { return true }
    isAskingPermission = false
    for slot in slots.indices where slots[slot].isActive {
      if answer == .declined {
        invalidate(slot, with: NearbyError(.userDidNotAllow, "the user does not allow ranging"), into: &events)
      } else if slots[slot].phase == .awaitingPermission {
        if let configuration = slots[slot].configuration, let error = refusal(of: configuration, for: slot) {
          invalidate(slot, with: error, into: &events)
        } else {
          start(slot, into: &events)
        }
      }
    }
    return true
  }

  // MARK: Inside

  private mutating func start(_ slot: Int, into events: inout [SessionEvent]) {
    slots[slot].phase = .running
    slots[slot].lastActivity = now
    noteDeadline(of: slot)
    bind(slot)
    setAssistance(slot)
    slots[slot].shared = shareableConfiguration(slot)
    if let link = link(of: slot) { emit(.link(.started(link)), from: slot, into: &events) }
    emit(.started, from: slot, into: &events)
    handShareableConfiguration(slot, into: &events)
  }

  /// An accessory that runs again is told new parameters, and so is the radio.
  private mutating func rekey(_ slot: Int, into events: inout [SessionEvent]) {
    guard let shared = shareableConfiguration(slot), let link = link(of: slot) else { return }
    slots[slot].shared = shared
    emit(.link(.stopped(link)), from: slot, into: &events)
    emit(.link(.started(link)), from: slot, into: &events)
    handShareableConfiguration(slot, into: &events)
  }

  private mutating func setAssistance(_ slot: Int) {
    let isAssisted =
      slots[slot].configuration?.isCameraAssistanceEnabled == true && capabilities.supportsDirectionMeasurement
    slots[slot].isAssisted = isAssisted
    if !isAssisted {
      assistances[slot] = nil
    } else if assistances[slot] == nil {
      var assistance = AssistanceState()
      if let pose { assistance.take(pose) }
      assistances[slot] = assistance
    }
  }

  private mutating func handShareableConfiguration(_ slot: Int, into events: inout [SessionEvent]) {
    guard let shared = slots[slot].shared, let token = slots[slot].peerToken else { return }
    emit(
      .shareableConfiguration(shared, for: NearbyObject(discoveryToken: token, time: now)), from: slot, into: &events)
  }

  /// What to tell the accessory that a session runs with, with fresh secrets; `nil` for another kind of peer.
  private mutating func shareableConfiguration(_ slot: Int) -> ShareableConfigurationData? {
    guard case .accessory(let accessory)? = slots[slot].configuration else { return nil }
    let ranging = settings.accessoryRanging
    return ShareableConfigurationData(
      country: ranging.country, sessionIdentifier: UInt32.random(in: 1...UInt32.max, using: &generator),
      preambleIndex: ranging.preambleIndex, channel: ranging.channel, slotsPerRound: ranging.slotsPerRound,
      slotRSTU: ranging.slotRSTU,
      blockMilliseconds: accessory.accessoryData.preferredUpdateRate == .infrequent
        ? ranging.infrequentBlockMilliseconds : ranging.blockMilliseconds,
      roundControl: ranging.roundControl,
      stsInitialVector: ShareableConfigurationData.InitialVector(rawValue: generator.next()),
      destinationAddress: slots[slot].shortAddress,
      clockStability: accessory.accessoryData.clockDriftppm == nil ? nil : ranging.clockStability)
  }

  /// Why a session must not run with a configuration; `nil` where it may.
  private func refusal(of configuration: NearbyConfiguration, for slot: Int) -> NearbyError? {
    guard isSupported else { return NearbyError(.unsupportedPlatform, "the device can't measure distances") }
    if permission == .declined { return NearbyError(.userDidNotAllow, "the user does not allow ranging") }
    if permission == .undetermined, !isPermissionExpected {
      return NearbyError(
        .userDidNotAllow, "nobody was asked: give the host a permission or a request, or call setPermission before run")
    }
    let peer = configuration.peerToken
    if case .peer = configuration, peer.kind != .session {
      return NearbyError(.invalidConfiguration, "the peer's token is an accessory's")
    }
    if slotsByToken[peer] != nil {
      return NearbyError(.invalidConfiguration, "the peer's token is one of this device")
    }
    if endedTokens.contains(peer) {
      return NearbyError(.invalidConfiguration, "the peer's token has expired: its session has ended")
    }
    if configuration.isCameraAssistanceEnabled, !capabilities.supportsCameraAssistance {
      return NearbyError(.invalidARConfiguration, "the device has nothing that gives its pose")
    }
    if configuration.isExtendedDistanceMeasurementEnabled {
      if !capabilities.supportsExtendedDistanceMeasurement {
        return NearbyError(.invalidConfiguration, "the device can't measure extended distances")
      }
      if !peer.deviceCapabilities.supportsExtendedDistanceMeasurement {
        return NearbyError(.incompatiblePeerDevice, "the peer can't measure extended distances")
      }
    }
    return limitExceeded(by: configuration, for: slot)
  }

  private func limitExceeded(by configuration: NearbyConfiguration, for slot: Int) -> NearbyError? {
    guard settings.activeSessionLimit != nil || settings.activeExtendedDistanceSessionLimit != nil else { return nil }
    var active = 0
    var extended = 0
    for other in slots.indices where other != slot && slots[other].isActive {
      active += 1
      if slots[other].configuration?.isExtendedDistanceMeasurementEnabled == true { extended += 1 }
    }
    if let limit = settings.activeSessionLimit, active >= limit {
      return NearbyError(.activeSessionsLimitExceeded, "\(active) sessions are active, the most allowed")
    }
    if configuration.isExtendedDistanceMeasurementEnabled, let limit = settings.activeExtendedDistanceSessionLimit,
      extended >= limit
    {
      return NearbyError(
        .activeExtendedDistanceSessionsLimitExceeded,
        "\(extended) sessions with extended distance are active, the most allowed")
    }
    return nil
  }
}
