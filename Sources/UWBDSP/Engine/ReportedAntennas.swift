/// What a chip reports of its antennas beside the CIR: a part of a reception, which is large to copy.
struct ReportedAntennas {
  let powerdBm: Double?
  private let phases: [Double]?
  private let firstPathTaps: [Double]?

  init(_ reception: borrowing Reception) {
    powerdBm = reception.receivedPowerdBm
    phases = reception.antennaPhases
    firstPathTaps = reception.antennaFirstPathTaps
  }

  /// Their phases, radians, where it reports all.
  func phases(ofAll count: Int) -> [Double]? { Self.usable(phases, count) }
  /// Their first paths, taps, where it reports all.
  func firstPathTaps(ofAll count: Int) -> [Double]? { Self.usable(firstPathTaps, count) }

  private static func usable(_ values: [Double]?, _ count: Int) -> [Double]? {
    values.flatMap { $0.count == count && $0.allSatisfy { abs($0) < 1e6 } ? $0 : nil }
  }
}
