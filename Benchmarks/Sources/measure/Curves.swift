import Foundation
import UWBDSP
import UWBReport
import UWBSimulation
import Workloads

/// Cost of one step as its work grows.
private struct Curve {
  /// What grows.
  var axis: String
  var what: String
  /// The exponent that theory gives, and why.
  var theory: Double
  var reason: String
  var sizes: [Int]
  var step: (Int) throws -> (items: Int, run: () throws -> Void)
  /// µs, by size.
  var microseconds: [Double] = []

  /// The slope of ln(cost) over ln(size) by least squares, over the larger half of the sizes: what is constant has faded there.
  var exponent: Double {
    let points = zip(sizes, microseconds).suffix(max(3, (sizes.count + 1) / 2)).map { (log(Double($0)), log($1)) }
    let count = Double(points.count)
    let (x, y) = (points.reduce(0) { $0 + $1.0 } / count, points.reduce(0) { $0 + $1.1 } / count)
    return points.reduce(0) { $0 + ($1.0 - x) * ($1.1 - y) } / points.reduce(0) { $0 + ($1.0 - x) * ($1.0 - x) }
  }
}

private func curves() -> [Curve] {
  [
    Curve(
      axis: "taps", what: "whole chain, one antenna, free space", theory: 1, reason: "every tap is read",
      sizes: [128, 256, 512, 1016, 2032, EngineLimits.tapCount.upperBound]
    ) { taps in
      (1, Workload.chain(.ideal, SimulatedInput.exchanges(antennas: 1, inRoom: false, count: 16, tapCount: taps)).run)
    },
    Curve(
      axis: "antennas", what: "whole chain, a row, free space", theory: 2,
      reason: "a row's grid of directions has points in proportion to its antennas, and each looks at all of them",
      sizes: [2, 3, 4, 6, 8, 12, 16]
    ) { antennas in
      let array = AntennaArray.linear(count: antennas, spacing: 0.0187, carrier: SimulatedInput.carrier)
      let exchanges = SimulatedInput.exchanges(antennas: antennas, inRoom: false, count: 16, array: array)
      return (1, Workload.chain(.ideal, exchanges, array: array).run)
    },
    Curve(
      axis: "antennas", what: "MUSIC on a row, 64 snapshots", theory: 3, reason: "eigenvectors of a Hermitian matrix",
      sizes: [2, 4, 8, 16, 32, 64]
    ) { antennas in
      let array = AntennaArray.linear(count: antennas, spacing: 0.0187, carrier: SimulatedInput.carrier)
      return (1, Workload.snapshots(MUSIC(array: array), array, snapshotCount: 64).run)
    },
    Curve(
      axis: "snapshots", what: "MUSIC on a row of 8", theory: 1,
      reason: "the covariance; the largest, 2 MB each, come from memory, not from a cache",
      sizes: [64, 256, 1024, 4096, 16384]
    ) { count in
      let array = SimulatedInput.array(antennas: 8)
      return (1, Workload.snapshots(MUSIC(array: array), array, snapshotCount: count).run)
    },
    Curve(
      axis: "grid points", what: "phases through a measured manifold", theory: 1, reason: "every point is looked at",
      sizes: [21, 41, 81, 161].map { $0 * $0 }
    ) { points in
      let side = Int(Double(points).squareRoot().rounded())
      return (1, Workload.manifoldSearch(pointsAcross: side).run)
    },
    Curve(
      axis: "paths", what: "pulse-fit, paths 2.5 taps apart", theory: 4,
      reason: "K fits of up to K paths, K² inner products of K unknowns each", sizes: [1, 2, 3, 4]
    ) { paths in
      (1, Workload.delay(.pulseFit, SimulatedInput.responses(.equalPaths(paths))).run)
    },
    Curve(
      axis: "paths", what: "search-subtract, paths 2.5 taps apart", theory: 1,
      reason: "a filter and a peak for each path",
      sizes: [1, 2, 3, 4]
    ) { paths in
      (1, Workload.delay(.searchSubtract, SimulatedInput.responses(.equalPaths(paths))).run)
    },
    Curve(
      axis: "exchanges", what: "capture to updates: engine, tracker, session", theory: 1, reason: "one after the other",
      sizes: [1000, 4000, 16_000, 64_000]
    ) { count in
      (1, Workload.deliveredCapture(exchanges: count))
    },
    Curve(
      axis: "exchanges", what: "DecaRanging text to exchanges", theory: 1, reason: "line by line",
      sizes: [16, 64, 256, 1024]
    ) { count in
      (1, Workload.reading("decaranging", Workload.decaRangingLog(exchanges: count)).run)
    },
  ]
}

func measureCurves(picture: String?) throws {
  var measured = curves()
  for index in measured.indices {
    for size in measured[index].sizes {
      let (items, run) = try measured[index].step(size)
      measured[index].microseconds.append(try 1e6 * times(of: items, seconds: 0.3, run).quantile(0.25))
    }
    let curve = measured[index]
    print(fields: [
      "axis": curve.axis, "what": curve.what, "theory": curve.theory, "reason": curve.reason,
      "exponent": curve.exponent,
      "sizes": curve.sizes.map(String.init).joined(separator: " "),
      "microseconds": curve.microseconds.map { String(format: "%.3g", $0) }.joined(separator: " "),
    ])
  }
  if let picture { try Data(drawing(measured).utf8).write(to: URL(fileURLWithPath: picture)) }
}

/// A panel for each curve: what was measured, and theory through the largest size, dashed.
private func drawing(_ curves: [Curve]) -> String {
  let panels = curves.map { curve in
    var panel = Panel(
      title: curve.what, x: Axis(curve.axis, scale: .logarithmic), y: Axis("µs", scale: .logarithmic), height: 200)
    let sizes = curve.sizes.map(Double.init)
    let (last, cost) = (sizes[sizes.count - 1], curve.microseconds[sizes.count - 1])
    let fitted = String(format: "measured, exponent %.2f", curve.exponent)
    panel.series = [
      Series(
        String(format: "theory, exponent %g", curve.theory), x: sizes,
        y: sizes.map { cost * pow($0 / last, curve.theory) }, ink: .neutral, line: .dashed),
      Series(fitted, x: sizes, y: curve.microseconds, line: .solid, marker: .dot),
    ]
    return panel
  }
  return Figure(
    title: "Cost as work grows", subtitle: "quarter of the fastest runs; exponents over the larger half of the sizes",
    panels: panels, columns: 3, width: 1180
  ).svg()
}
