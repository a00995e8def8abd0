import UWBDSP

/// One exchange of a labelled capture: what models are trained on.
public struct QualitySample: Sendable, Hashable {
  /// The place: all exchanges of a capture have the same number.
  public var group: Int
  /// Mean of the receptions', distance entered.
  public var features: QualityFeatures
  /// As the engine measured it, m.
  public var distance: Double
  /// m
  public var trueDistance: Double?
  /// Whether nothing stood between the antennas; `nil` where unknown.
  public var isLineOfSight: Bool?

  /// Creates one with the given values.
  public init(
    group: Int, features: QualityFeatures, distance: Double, trueDistance: Double? = nil, isLineOfSight: Bool? = nil
  ) {
    self.group = group
    self.features = features
    self.distance = distance
    self.trueDistance = trueDistance
    self.isLineOfSight = isLineOfSight
  }
}

/// Samples by group, weighted so that each place counts once however long somebody stood there.
struct GroupedSamples {
  /// Row indices of each group, groups ascending.
  let indices: [[Int]]
  /// 1 / rows of the group.
  let weights: [Double]

  init(_ groups: [Int]) {
    var byGroup: [Int: [Int]] = [:]
    for (index, group) in groups.enumerated() { byGroup[group, default: []].append(index) }
    let indices = byGroup.sorted { $0.key < $1.key }.map(\.value)
    var weights = [Double](repeating: 0, count: groups.count)
    for group in indices {
      for index in group { weights[index] = 1 / Double(group.count) }
    }
    self.indices = indices
    self.weights = weights
  }
}
