import UWBCapture
import UWBDSP

extension ShardRecord {
  /// Whether its numbers are some that a replay writes: `merge` reckons with them, and anybody may have written the file.
  var isInRange: Bool {
    switch self {
    case .begin: true
    case .measurement(let measured): measured.isInRange
    case .end(let end):
      CaptureLimits.count.contains(end.exchanges) && end.skipped.values.allSatisfy(CaptureLimits.count.contains)
    }
  }
}

extension ShardRecord.Measured {
  /// Of what was measured: a damaged exchange may give any distance that its timestamps can.
  private static let measured = 1e15

  fileprivate var isInRange: Bool {
    func isAnyMeasured(_ values: Double?...) -> Bool {
      values.allSatisfy { value in value.map { !$0.isFinite || abs($0) <= Self.measured } ?? true }
    }
    let (result, taps) = (measurement, measurement.firstPathTaps)
    return CaptureLimits.exchangeIndex.contains(exchange) && CaptureLimits.exchangeIndex.contains(result.exchange)
      && CaptureLimits.time.contains(time) && CaptureLimits.time.contains(result.time)
      && isAnyMeasured(
        result.distance, result.distanceDeviation, result.rawDistance, result.rawDistanceDeviation,
        result.direction?.x, result.direction?.y, result.direction?.z, result.azimuth, result.azimuthDeviation,
        result.elevation, result.elevationDeviation, taps.poll, taps.response, taps.final, result.snrdB,
        result.clockOffsetppm, result.lineOfSightProbability, result.rangeBias, result.rangeBiasDeviation)
      && isAnyMeasured(
        chip?.distance, chip?.rawDistance, chip?.clockOffsetppm, chip?.azimuth, chip?.elevation, truth?.distance,
        truth?.azimuth, truth?.elevation)
  }
}
