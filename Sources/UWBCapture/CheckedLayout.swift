import UWBTypes

extension AntennaLayout {
  /// Antennas as a file describes them.
  ///
  /// - Parameters:
  ///   - positions: [x, y, z] of each antenna, m.
  ///   - carrier: Hz.
  ///   - prefix: what stands before the fields' names in messages.
  /// - Throws: `CaptureError` for what `EngineLimits` exclude: it names the file, the field and the remedy.
  package init(
    positions: [[Double]], carrier: Double, file: String, prefix: String = "", positionsField: String
  ) throws {
    func check(_ isValid: Bool, _ field: String, _ problem: String, _ remedy: String) throws {
      if !isValid { throw CaptureError(file: file, place: prefix + field, problem: problem, remedy: remedy) }
    }
    let (carriers, counts, places) = (
      EngineLimits.carrier, EngineLimits.antennaCount, EngineLimits.antennaCoordinate
    )
    try check(
      carriers.contains(carrier), "carrier_hz", "\(carrier) is not a frequency of a radio",
      "Give the carrier in hertz, 7987200000 for channel 9.")
    try check(
      counts.contains(positions.count), positionsField, "there are \(positions.count) antennas",
      "Give \(counts.lowerBound) to \(counts.upperBound).")
    for (index, position) in positions.enumerated() {
      try check(
        position.count == 3 && position.allSatisfy(places.contains), "\(positionsField)[\(index)]",
        "\(position) is not a position", "Give three numbers, [x, y, z] in metres, within ±\(places.upperBound) m.")
    }
    self.init(positions: positions.map { SIMD3($0[0], $0[1], $0[2]) }, carrier: carrier)
  }
}
