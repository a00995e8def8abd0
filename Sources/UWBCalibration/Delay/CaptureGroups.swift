import UWBDSP

/// Samples by capture, and which captures are left out together.
struct CaptureGroups {
  /// By number of the capture.
  let captures: [[DelayCalibrationFit.Sample]]
  /// Places in `captures`.
  let groups: [[Int]]
  /// Whether a group is a pair of devices; else it is a capture.
  let isByPairs: Bool

  private struct Pair: Hashable {
    var one: DeviceAddress?
    var other: DeviceAddress?

    init(_ sample: DelayCalibrationFit.Sample) {
      let isInOrder = (sample.local?.rawValue ?? 0) <= sample.peer.rawValue
      (one, other) = isInOrder ? (sample.local, sample.peer) : (sample.peer, sample.local)
    }
  }

  init(_ samples: [DelayCalibrationFit.Sample]) {
    var byCapture: [Int: [DelayCalibrationFit.Sample]] = [:]
    for sample in samples { byCapture[sample.capture, default: []].append(sample) }
    let captures = byCapture.sorted { $0.key < $1.key }.map(\.value)
    self.captures = captures
    // A capture of several pairs counts for the first of them.
    var byPair: [Pair: [Int]] = [:]
    for (index, capture) in captures.enumerated() { byPair[Pair(capture[0]), default: []].append(index) }
    isByPairs = byPair.count > 2
    groups = isByPairs ? byPair.values.sorted { $0[0] < $1[0] } : captures.indices.map { [$0] }
  }

  /// Captures in `count` runs of neighbours in true distance; `nil` where there are fewer than `fewest`, or distances are not known.
  func blocks(_ count: Int, fewest: Int) -> [[Int]]? {
    let distances = captures.compactMap { capture -> Double? in
      let known = capture.compactMap(\.trueDistance)
      return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
    }
    guard distances.count == captures.count, captures.count >= fewest else { return nil }
    let order = captures.indices.sorted { (distances[$0], $0) < (distances[$1], $1) }
    return (0..<count).map { block in
      Array(order[(block * order.count / count)..<((block + 1) * order.count / count)])
    }
  }

  /// Devices of which the ranges tell sums alone: those of a connected set without a ring of odd length, whose delays may rise in
  /// one half of it and fall in the other.
  var openDevices: [DeviceAddress] {
    var neighbours: [DeviceAddress?: Set<DeviceAddress?>] = [:]
    for sample in captures.joined() {
      neighbours[sample.local, default: []].insert(sample.peer)
      neighbours[sample.peer, default: []].insert(sample.local)
    }
    var sides: [DeviceAddress?: Bool] = [:]
    var open: [DeviceAddress] = []
    for start in neighbours.keys where sides[start] == nil {
      var waiting = [start]
      var found = [start]
      var isTwoSided = true
      sides[start] = true
      while let device = waiting.popLast() {
        for other in neighbours[device] ?? [] {
          if let side = sides[other] {
            if side == sides[device] { isTwoSided = false }
          } else {
            sides[other] = sides[device] == false
            waiting.append(other)
            found.append(other)
          }
        }
      }
      if isTwoSided { open += found.compactMap { $0 } }
    }
    return open.sorted { $0.rawValue < $1.rawValue }
  }
}

extension DelayCalibrationFit {
  /// Numbers of the captures that are left out together: those of a pair of devices where there are three pairs or more, else
  /// each by itself.
  public static func groups(of samples: [Sample]) -> [[Int]] {
    let groups = CaptureGroups(samples)
    return groups.groups.map { $0.map { groups.captures[$0][0].capture } }
  }
}
