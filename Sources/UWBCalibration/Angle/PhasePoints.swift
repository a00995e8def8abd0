import UWBDSP
import UWBPlatform

/// Phase differences of one exchange, with the direction they came from.
public struct PhaseSample: Sendable, Hashable {
  /// rad, positive to the right
  public var azimuth: Double
  /// rad, positive upwards
  public var elevation: Double
  /// rad; whole turns do not matter
  public var differences: [Double]

  /// Creates one with the given values.
  public init(azimuth: Double, elevation: Double, differences: [Double]) {
    self.azimuth = azimuth
    self.elevation = elevation
    self.differences = differences
  }
}

/// What repeated measurements at the same direction say together: circular mean and spread of each difference.
///
/// z = mean of exp(jφ), mean phase arg z; variance of the wrapped deviations from it. Directions that are new for every
/// sample (a turntable that never stops) are joined in cells, first of half a degree, then of twice as much and so on
/// until there are at most `most`: what follows costs the cube of their number.
struct PhasePoints {
  static let most = 400

  /// rad, mean of the samples' own
  private(set) var azimuths: [Double] = []
  private(set) var elevations: [Double] = []
  private(set) var counts: [Int] = []
  /// By channel, then point: rad, rad² (0 where a point has one sample).
  private(set) var phases: [[Double]] = []
  private(set) var variances: [[Double]] = []

  init(_ samples: [PhaseSample], channels: Int) {
    var cell = 0.5 * Double.pi / 180
    var groups = Self.groups(samples, cell)
    while groups.count > Self.most {
      cell *= 2
      groups = Self.groups(samples, cell)
    }
    phases = Array(repeating: [], count: channels)
    variances = Array(repeating: [], count: channels)
    for group in groups {
      let count = Double(group.count)
      counts.append(group.count)
      azimuths.append(group.reduce(0) { $0 + samples[$1].azimuth } / count)
      elevations.append(group.reduce(0) { $0 + samples[$1].elevation } / count)
      for channel in 0..<channels {
        var (x, y) = (0.0, 0.0)
        for index in group {
          x += cos(samples[index].differences[channel])
          y += sin(samples[index].differences[channel])
        }
        let mean = atan2(y, x)
        var squares = 0.0
        for index in group {
          let away = Phase.wrapped(samples[index].differences[channel] - mean)
          squares += away * away
        }
        phases[channel].append(mean)
        variances[channel].append(group.count > 1 ? squares / (count - 1) : 0)
      }
    }
  }

  /// The cell of width `width` that an angle lies in.
  static func cell(_ angle: Double, _ width: Double) -> Int {
    Int(angle / width, rounded: .toNearestOrAwayFromZero, within: -1_000_000...1_000_000)
  }

  /// Samples of one cell together; cells by rising elevation, then azimuth.
  private static func groups(_ samples: [PhaseSample], _ cell: Double) -> [[Int]] {
    var groups: [SIMD2<Int>: [Int]] = [:]
    for (index, sample) in samples.enumerated() {
      let key = SIMD2(Self.cell(sample.elevation, cell), Self.cell(sample.azimuth, cell))
      groups[key, default: []].append(index)
    }
    return groups.sorted { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }.map(\.value)
  }

  var count: Int { counts.count }

  /// Median over the points of a difference's variance between repeats; 0 where nothing was repeated.
  func repeatVariance(channel: Int) -> Double {
    let repeated = zip(variances[channel], counts).filter { $0.1 > 1 }.map(\.0).sorted()
    return repeated.isEmpty ? 0 : repeated[repeated.count / 2]
  }

  /// Median distance from a point to its nearest neighbour, rad.
  var spacing: Double {
    let nearest = (0..<count).map { index in
      (0..<count).filter { $0 != index }.map { other in
        let (x, y) = (azimuths[index] - azimuths[other], elevations[index] - elevations[other])
        return (x * x + y * y).squareRoot()
      }.min() ?? 0
    }.sorted()
    return nearest.isEmpty ? 0 : nearest[nearest.count / 2]
  }
}

enum Phase {
  /// The same phase between −π and π.
  static func wrapped(_ phase: Double) -> Double {
    phase - 2 * .pi * (phase / (2 * .pi)).rounded()
  }
}
