/// Fits a `DelayCalibration` to distances whose truth is known.
///
/// Captures in line of sight give the antenna delays of all devices and the curve over received power together, by
/// `RobustRegression` with a curve of knots `knotSpacingdB` apart and a penalty λ·∫ s″². λ, and whether there is a curve at all, is
/// chosen by leaving out one capture after the other: a curve has to make held-out captures better by a tenth of the loss
/// without one, since a handful of places is easily explained by anything. Obstructed captures then get a curve of their own, with the
/// delays that were found.
///
/// Three devices or more that ranged in a ring of odd length have delays of their own; of two only the sum is determined, and it
/// is split evenly (the shortest solution). The curve's mean over the captures is zero; delays hold the level.
///
/// Nothing that scores a capture may have seen it: leave it out of `samples` (`leavingOut`) and fit again; the choice of λ is part of the
/// fit.
public struct DelayCalibrationFit: Sendable, Hashable {
  /// One distance with its truth.
  public struct Sample: Sendable, Hashable {
    /// Which capture it is of.
    public var capture: Int
    public var local: DeviceAddress?
    public var peer: DeviceAddress
    /// Measured less true, m.
    public var error: Double
    /// m, as the measurement states it.
    public var deviation: Double
    public var powerdBm: Double?
    public var isLineOfSight: Bool?

    public init(
      capture: Int, local: DeviceAddress? = nil, peer: DeviceAddress, error: Double, deviation: Double,
      powerdBm: Double? = nil, isLineOfSight: Bool? = nil
    ) {
      self.capture = capture
      self.local = local
      self.peer = peer
      self.error = error
      self.deviation = deviation
      self.powerdBm = powerdBm
      self.isLineOfSight = isLineOfSight
    }
  }

  /// Distance of the curve's knots, dB.
  public var knotSpacingdB: Double
  /// Values of λ to choose from, m⁻²·dB³ against a mean square of a capture's errors.
  public var penalties: [Double]
  /// m/s
  public var propagationSpeed: Double

  public init(
    knotSpacingdB: Double = 1.5, penalties: [Double] = [0.01, 0.1, 1, 10, 100, 1000],
    propagationSpeed: Double = UWB.speedOfLightInAir
  ) {
    self.knotSpacingdB = knotSpacingdB
    self.penalties = penalties
    self.propagationSpeed = propagationSpeed
  }

  /// Captures of which less than this share of the loss is left are worth a curve.
  private static let worthwhile = 0.9
  /// Keeps what the data don't determine at its smallest: 10⁻⁶ of what a capture weighs.
  private static let ridge = 1e-6

  /// `nil` where there is no sample with a finite error.
  public func calibration(of samples: [Sample]) -> DelayCalibration? {
    let usable = samples.filter(\.error.isFinite)
    let clear = usable.contains { $0.isLineOfSight != false } ? usable.filter { $0.isLineOfSight != false } : usable
    guard !clear.isEmpty else { return nil }
    var seen: Set<DeviceAddress> = []
    var hasUnnamed = false
    for sample in clear {
      seen.insert(sample.peer)
      if let local = sample.local { seen.insert(local) } else { hasUnnamed = true }
    }
    var addresses: [DeviceAddress?] = hasUnnamed ? [nil] : []
    addresses += seen.sorted { $0.rawValue < $1.rawValue }.map { $0 }
    var columns: [DeviceAddress?: Int] = [:]
    for (index, address) in addresses.enumerated() { columns[address] = index }
    guard var fitted = fit(clear, devices: columns, offsets: { _ in 0 }) else { return nil }
    centre(&fitted, clear)
    var calibration = DelayCalibration(
      devices: zip(addresses, fitted.devices).map {
        DelayCalibration.Device(address: $0?.description, delay: 2 * $1 / propagationSpeed)
      }, lineOfSight: fitted.curve)
    let blocked = usable.filter { $0.isLineOfSight == false }
    guard clear.count < usable.count, !blocked.isEmpty else { return calibration }
    let delays = DelayCorrection(DelayCalibration(devices: calibration.devices), propagationSpeed: propagationSpeed)
    let obstructed = fit(blocked, devices: [:]) {
      delays.bias(local: $0.local, peer: $0.peer, powerdBm: nil).distance
    }
    calibration.obstructed = obstructed?.curve
    return calibration
  }

  /// The same without one capture.
  public func calibration(of samples: [Sample], leavingOut capture: Int) -> DelayCalibration? {
    calibration(of: samples.filter { $0.capture != capture })
  }

  // MARK: One fit

  private struct Fitted {
    /// m, by column
    var devices: [Double]
    var curve: DelayCalibration.PowerBias
  }

  /// One set of unknowns: devices, then the curve's values.
  private struct Candidate {
    var regression: RobustRegression
    var knots: [Double]
    var fit: RobustRegression.Fit
    var penalty: [Double]
    var loss: Double
    /// Mean errors of captures that were left out, m.
    var heldOut: [Double]
  }

  private func fit(
    _ samples: [Sample], devices: [DeviceAddress?: Int], offsets: (Sample) -> Double
  ) -> Fitted? {
    let captures = Array(Set(samples.map(\.capture))).sorted()
    let groups = captures.map { capture in samples.filter { $0.capture == capture } }
    // Without devices a level is needed: a curve of one knot is one.
    let level: [Double] = devices.isEmpty ? [samples.compactMap(\.powerdBm).first ?? 0] : []
    guard var best = candidate(groups, devices, offsets, knots: level, penalties: [0], scale: nil) else { return nil }
    let knots = knots(samples.compactMap(\.powerdBm), most: groups.count / 2)
    if knots.count > 2, samples.allSatisfy({ $0.powerdBm != nil }),
      let curved = candidate(groups, devices, offsets, knots: knots, penalties: penalties, scale: best.fit.scale),
      curved.loss < Self.worthwhile * best.loss
    {
      best = curved
    }
    let count = devices.count
    let values = Array(best.fit.solution[count...])
    return Fitted(
      devices: Array(best.fit.solution[..<count]),
      curve: DelayCalibration.PowerBias(knots: best.knots, values: values, deviation: deviation(best)))
  }

  /// Knots over the central 99 % of the powers; no more than captures can carry.
  private func knots(_ powers: [Double], most: Int) -> [Double] {
    let sorted = powers.filter(\.isFinite).sorted()
    guard sorted.count > 10 else { return [] }
    let lower = sorted[sorted.count / 200]
    let upper = sorted[sorted.count - 1 - sorted.count / 200]
    guard upper - lower > 2 * knotSpacingdB else { return [] }
    let count = Int((upper - lower) / knotSpacingdB, rounded: .up, within: 0...max(0, most - 1))
    guard count > 1 else { return [] }
    return (0...count).map { lower + (upper - lower) * Double($0) / Double(count) }
  }

  private func candidate(
    _ groups: [[Sample]], _ devices: [DeviceAddress?: Int], _ offsets: (Sample) -> Double, knots: [Double],
    penalties: [Double], scale: Double?
  ) -> Candidate? {
    let basis = NaturalSpline.basis(knots: knots)
    let count = devices.count + knots.count
    let regression = RobustRegression(
      columns: count,
      groups: groups.map { group in
        var rows = RobustRegression.Group()
        rows.matrix.reserveCapacity(group.count * count)
        for sample in group {
          var row = [Double](repeating: 0, count: count)
          // A device's own address, or none: both are keys.
          for address in [sample.peer as DeviceAddress?, sample.local] {
            if let column = devices[address] { row[column] += 1 }
          }
          for (index, spline) in basis.enumerated() { row[devices.count + index] = spline(sample.powerdBm ?? knots[0]) }
          rows.matrix += row
          rows.side.append(sample.error - offsets(sample))
        }
        return rows
      })
    let roughness = NaturalSpline.roughness(knots: knots)
    func penalty(_ lambda: Double) -> [Double] {
      var result = [Double](repeating: 0, count: count * count)
      for index in 0..<count { result[index * count + index] = Self.ridge * Double(groups.count) }
      for row in knots.indices {
        for column in knots.indices {
          result[(devices.count + row) * count + devices.count + column] +=
            lambda * roughness[row * knots.count + column]
        }
      }
      return result
    }
    // Rows' weights come from a fit of middle stiffness; what is an outlier does not depend on λ.
    guard let first = regression.fit(penalty: penalty(penalties[penalties.count / 2])) else { return nil }
    var best: (lambda: Double, loss: Double, heldOut: [Double])?
    for lambda in penalties {
      let (loss, heldOut) = leaveOneOut(regression, first, penalty(lambda), scale ?? first.scale)
      if loss < best?.loss ?? .infinity { best = (lambda, loss, heldOut) }
    }
    guard let best, let fit = regression.fit(penalty: penalty(best.lambda)) else { return nil }
    return Candidate(
      regression: regression, knots: knots, fit: fit, penalty: penalty(best.lambda), loss: best.loss,
      heldOut: best.heldOut)
  }

  /// Huber's loss of every capture under the fit to the others, mean over captures, m²; and each one's median error.
  /// `scale` is the same for all candidates: with scales of their own the tighter fit would count misses for less.
  private func leaveOneOut(
    _ regression: RobustRegression, _ fit: RobustRegression.Fit, _ penalty: [Double], _ scale: Double
  ) -> (loss: Double, heldOut: [Double]) {
    var sum = 0.0
    var heldOut: [Double] = []
    for index in regression.groups.indices {
      let normal = RobustRegression.Normal.sum(
        fit.normals, without: regression.groups.count > 1 ? index : nil, columns: regression.columns)
      guard let solution = RobustRegression.solve(normal, penalty: penalty, columns: regression.columns) else {
        return (.infinity, [])
      }
      let residuals = regression.residuals(regression.groups[index], solution)
      let limit = 1.345 * scale
      let loss = residuals.reduce(0) { total, residual in
        let size = abs(residual)
        return total + (size <= limit ? size * size : limit * (2 * size - limit))
      }
      sum += loss / Double(residuals.count)
      heldOut.append(residuals.sorted()[residuals.count / 2])
    }
    return (sum / Double(regression.groups.count), heldOut)
  }

  /// Of captures that took no part: 1.4826 × the median of their median errors, so that a wrong truth among them does not speak for
  /// all.
  private func deviation(_ candidate: Candidate) -> Double {
    guard candidate.heldOut.count > 2 else { return candidate.fit.scale }
    return 1.4826 * candidate.heldOut.map(abs).sorted()[candidate.heldOut.count / 2]
  }

  /// Moves the curve's mean over the captures into the delays.
  private func centre(_ fitted: inout Fitted, _ samples: [Sample]) {
    guard !fitted.curve.knots.isEmpty, !fitted.devices.isEmpty else { return }
    let spline = NaturalSpline(knots: fitted.curve.knots, values: fitted.curve.values)
    var counts: [Int: (sum: Double, count: Double)] = [:]
    for sample in samples {
      var entry = counts[sample.capture] ?? (0, 0)
      entry.sum += spline(sample.powerdBm ?? spline.knots[0])
      entry.count += 1
      counts[sample.capture] = entry
    }
    let means = counts.sorted { $0.key < $1.key }.map { $0.value.sum / $0.value.count }
    let mean = means.reduce(0, +) / Double(means.count)
    for index in fitted.curve.values.indices { fitted.curve.values[index] -= mean }
    for index in fitted.devices.indices { fitted.devices[index] += mean / 2 }
  }
}
