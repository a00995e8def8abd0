import UWBDSP

/// The linear model of a delay calibration: a level, what each device adds to it, a curve over power; which of them take part, and
/// how stiff they are, is a matter of the penalty.
///
///     error = level + d(local) + d(peer) + curve(power)
struct DelayRegression {
  /// Parts that take part, and their stiffness.
  struct Setting: Hashable {
    var hasLevel = true
    /// Penalty κ·Σ d² of devices; `nil` without.
    var devices: Double?
    /// Penalty λ·∫ s″² of the curve; `nil` without.
    var curve: Double?

    static let none = Setting(hasLevel: false)
    static let constant = Setting()
  }

  /// A setting's fit, and what it left of captures that were left out.
  struct Outcome {
    var setting: Setting
    var solution: [Double]
    /// By group: Huber's loss of its captures, m².
    var costs: [Double]
    /// By capture: median error while its group was left out, m.
    var heldOut: [Double]
  }

  /// Holds what does not take part at zero, and what the data don't determine small.
  private static let shut = 1e9
  private static let ridge = 1e-6

  let captures: [[DelayCalibrationFit.Sample]]
  /// Which captures are left out together.
  let groups: [[Int]]
  let addresses: [DeviceAddress?]
  let knots: [Double]
  private let regression: RobustRegression

  private var columns: Int { 1 + addresses.count + knots.count }

  init(
    captures: [[DelayCalibrationFit.Sample]], groups: [[Int]], addresses: [DeviceAddress?], knots: [Double],
    offsets: (DelayCalibrationFit.Sample) -> Double
  ) {
    self.captures = captures
    self.groups = groups
    self.addresses = addresses
    self.knots = knots
    var places: [DeviceAddress?: Int] = [:]
    for (index, address) in addresses.enumerated() { places[address] = 1 + index }
    let basis = knots.isEmpty ? [] : NaturalSpline.basis(knots: knots)
    let count = 1 + addresses.count + knots.count
    regression = RobustRegression(
      columns: count,
      groups: captures.map { capture in
        var rows = RobustRegression.Group()
        rows.matrix.reserveCapacity(capture.count * count)
        for sample in capture {
          var row = [Double](repeating: 0, count: count)
          row[0] = 1
          // A device's own address, or none: both are keys.
          for address in [sample.peer as DeviceAddress?, sample.local] {
            if let column = places[address] { row[column] += 1 }
          }
          for (index, spline) in basis.enumerated() {
            row[1 + addresses.count + index] = spline(sample.powerdBm ?? knots[0])
          }
          rows.matrix += row
          rows.side.append(sample.error - offsets(sample))
        }
        return rows
      })
  }

  private func penalty(_ setting: Setting) -> [Double] {
    let count = columns
    let first = 1 + addresses.count
    var result = [Double](repeating: 0, count: count * count)
    let weight = Double(captures.count)
    for index in 0..<count { result[index * count + index] = Self.ridge * weight }
    if !setting.hasLevel { result[0] = Self.shut }
    for index in 1..<first {
      result[index * count + index] = setting.devices.map { max($0, Self.ridge) * weight } ?? Self.shut
    }
    guard let lambda = setting.curve else {
      for index in first..<count { result[index * count + index] = Self.shut }
      return result
    }
    let roughness = NaturalSpline.roughness(knots: knots)
    for row in knots.indices {
      for column in knots.indices {
        result[(first + row) * count + first + column] += lambda * roughness[row * knots.count + column]
      }
    }
    return result
  }

  /// Rows' weights under a setting; what is an outlier does not depend on how stiff its parts are.
  func fit(_ setting: Setting) -> RobustRegression.Fit? { regression.fit(penalty: penalty(setting)) }

  /// - Parameters:
  ///   - weights: a fit of the same parts.
  ///   - scale: of residuals, the same for all settings: with scales of their own the tighter fit would count misses for less.
  func outcome(_ setting: Setting, _ weights: RobustRegression.Fit, scale: Double, groups: [[Int]]? = nil) -> Outcome? {
    let penalty = penalty(setting)
    var costs: [Double] = []
    var heldOut = [Double](repeating: 0, count: captures.count)
    for group in groups ?? self.groups {
      let rest = captures.count > group.count ? Set(group) : []
      let kept = weights.normals.enumerated().filter { !rest.contains($0.offset) }.map(\.element)
      guard
        let solution = RobustRegression.solve(
          .sum(kept, columns: columns), penalty: penalty, columns: columns)
      else { return nil }
      var cost = 0.0
      for capture in group {
        let residuals = regression.residuals(regression.groups[capture], solution)
        cost += Self.loss(residuals, scale)
        heldOut[capture] = residuals.sorted()[residuals.count / 2]
      }
      costs.append(cost / Double(group.count))
    }
    guard
      let solution = RobustRegression.solve(
        .sum(weights.normals, columns: columns), penalty: penalty, columns: columns)
    else { return nil }
    return Outcome(setting: setting, solution: solution, costs: costs, heldOut: heldOut)
  }

  /// Huber's, mean over the rows.
  private static func loss(_ residuals: [Double], _ scale: Double) -> Double {
    let limit = 1.345 * scale
    return residuals.reduce(0) { total, residual in
      let size = abs(residual)
      return total + (size <= limit ? size * size : limit * (2 * size - limit))
    } / Double(max(residuals.count, 1))
  }
}
