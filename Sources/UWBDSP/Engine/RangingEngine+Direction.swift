import Numerics

extension RangingEngine {
  /// What the joint fits of both receptions say together; else the amplitudes of both, turned to antenna 0's phase and added, then
  /// fitted to the plane wave, or to the array's own response where its antennas don't respond alike.
  func direction(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace,
    into result: inout RangingMeasurement
  ) {
    guard let phaseFit, phaseFit.array.positions.count >= 2 else { return }
    result.directionStatus = .unusable
    if antennas == nil, jointDirection(first, second, workspace, into: &result) { return }
    let count = phaseFit.array.positions.count
    let areUnlike = antennas != nil || responseDirection != nil
    guard gatherAmplitudes(first, second, workspace, count: count, gains: areUnlike) else { return }
    if let responseDirection, let memory = workspace.response {
      return responseDirection.measure(
        workspace.amplitudes, deviations: workspace.deviations, into: &result, using: memory)
    }
    antennas?.correct(&workspace.amplitudes)
    if antennas != nil, let variance = configuration.calibration.angle?.boardVariance { workspace.widen(by: variance) }
    guard
      let fit = phaseFit.estimate(amplitudes: workspace.amplitudes, deviations: workspace.deviations)
    else { return }
    result.set(fit)
  }

  /// Pairs the directions that came into question in both receptions; `false` where neither has any.
  private func jointDirection(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace,
    into result: inout RangingMeasurement
  ) -> Bool {
    let one = first == nil ? nil : workspace.poll.latest.planeWaves
    let other = second == nil ? nil : workspace.final.latest.planeWaves
    guard let geometry = (one ?? other)?.grid.geometry else { return false }
    var count = 0
    func add(_ candidate: DirectionCandidate) {
      workspace.candidates.pointer[count] = candidate
      count += 1
    }
    for left in 0..<(one?.candidateCount ?? 1) {
      for right in 0..<(other?.candidateCount ?? 1) {
        switch (one, other) {
        case (let one?, let other?):
          add(one.candidates.pointer[left].joined(with: other.candidates.pointer[right], geometry))
        case (let one?, nil): add(one.candidates.pointer[left])
        case (nil, let other?): add(other.candidates.pointer[right])
        case (nil, nil): break
        }
      }
    }
    workspace.direction.set(workspace.candidates.pointer, count: count, geometry)
    guard !workspace.direction.sources.isEmpty else { return false }
    result.set(workspace.direction)
    return true
  }

  /// Both receptions' first paths across antennas, by what their phases tell; `false` where there are none.
  private func gatherAmplitudes(
    _ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?, _ workspace: Workspace, count: Int, gains: Bool
  ) -> Bool {
    workspace.clearAmplitudes(count: count)
    let receptions =
      workspace.addAmplitudes(first, workspace.poll.latest, gains: gains)
      + workspace.addAmplitudes(second, workspace.final.latest, gains: gains)
    guard receptions > 0 else { return false }
    workspace.turnInformationIntoDeviations()
    return true
  }

  /// Amplitudes of an exchange's first path across the antennas, as directions are told from them but with nothing
  /// calibrated: what a calibration is fitted to. `nil` where the exchange has none. Allocates.
  public func firstPathAmplitudes(
    of exchange: RangingExchange, using workspace: Workspace
  ) -> [Complex<Double>]? {
    guard let count = configuration.array?.positions.count, count >= 2 else { return nil }
    let (first, second) = exchange.localMessages
    let firstAnalysis = analyse(first, &workspace.poll, by: configuration.delay)
    let secondAnalysis = analyse(second, &workspace.final, by: configuration.delay)
    guard gatherAmplitudes(firstAnalysis, secondAnalysis, workspace, count: count, gains: true) else { return nil }
    return workspace.amplitudes
  }
}
