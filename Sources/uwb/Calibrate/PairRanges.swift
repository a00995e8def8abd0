import Foundation
import UWBCapture
import UWBDSP

/// Ranges between devices that stand still, gathered from captures: what `calibrate delay --self` works on.
struct PairRanges {
  /// Two devices, whichever of them recorded.
  struct Pair: Hashable, Comparable {
    var one: DeviceAddress
    var other: DeviceAddress

    init(_ one: DeviceAddress, _ other: DeviceAddress) {
      (self.one, self.other) = one.rawValue < other.rawValue ? (one, other) : (other, one)
    }

    static func < (a: Pair, b: Pair) -> Bool { (a.one.rawValue, a.other.rawValue) < (b.one.rawValue, b.other.rawValue) }
  }

  /// An exchange whose capture knows its true distance; it takes no part in the calibration.
  struct Sample {
    var pair: Pair
    /// Measured less true, m.
    var error: Double
    var deviation: Double
  }

  /// Distances of the exchanges, capture after capture, m.
  private(set) var distances: [Pair: [[Double]]] = [:]
  /// From the truth table, m.
  private(set) var known: [Pair: Double] = [:]
  private(set) var samples: [Sample] = []
  private(set) var origin = OriginRecord()
  /// Captures left out because they are labelled NLOS.
  private(set) var obstructed = 0

  init(_ paths: [String], truth: TruthTable?, engine options: EngineOptions) throws {
    var skipped = SkippedCaptures()
    for path in paths {
      let entry = truth?[capture: path]
      if entry?.isLineOfSight == false {
        obstructed += 1
        continue
      }
      if let error = try add(path, known: entry, options) { skipped.add(error) }
    }
    try skipped.tell(of: paths.count)
  }

  /// - Returns: why the capture is left out, if it is.
  private mutating func add(_ path: String, known entry: GroundTruth?, _ options: EngineOptions) throws -> CaptureError?
  {
    var found: [Pair: [Double]] = [:]
    var samples: [Sample] = []
    var record = origin
    var problem: (text: String, remedy: String)?
    try RangeSamples.read(options.input.open(path), path, options, entry, &record) { exchange, measurement in
      guard let measured = measurement.rawDistance, measured.isFinite else { return }
      guard let local = exchange.local else {
        problem = (
          "it does not name the device that recorded it",
          "Self-calibration needs both devices of each range; give captures that hold both addresses, as SigMF does."
        )
        return
      }
      guard local != exchange.peer else {
        problem = ("device \(local) ranges with itself", "Give each device an address of its own.")
        return
      }
      let pair = Pair(local, exchange.peer)
      found[pair, default: []].append(measured)
      if let distance = exchange.truth?.distance {
        samples.append(
          Sample(pair: pair, error: measured - distance, deviation: measurement.rawDistanceDeviation ?? 0))
      }
    }
    if let problem { throw CaptureError(file: path, problem: problem.text, remedy: problem.remedy) }
    guard !found.isEmpty else {
      return CaptureError(
        file: path, problem: "no exchange has a distance",
        remedy: "uwb info tells what is missing; leave the capture out.")
    }
    if let knownDistance = entry?.distance {
      guard found.count == 1, let pair = found.keys.first else {
        throw CaptureError(
          file: path, problem: "the truth table has one distance for the \(found.count) pairs of devices in it",
          remedy: "Give each pair a capture of its own, or leave the distance empty.")
      }
      if let before = known[pair], abs(before - knownDistance) > 1e-3 {
        throw CaptureError(
          file: path, problem: "the truth table has two distances for devices \(pair.one) and \(pair.other)",
          remedy: "Self-calibration takes devices that stand still; without --self they may stand anywhere.")
      }
      known[pair] = knownDistance
    }
    for (pair, list) in found { distances[pair, default: []].append(list) }
    self.samples += samples
    origin = record
    return nil
  }
}
