import UWBCapture
import UWBDSP

/// What captures hold for an angle calibration: phase differences with true angles, and the chip's own angles.
struct AngleMeasurements {
  private(set) var samples: [PhaseSample] = []
  /// Of each sample: the chip's azimuth and elevation, rad, where it gave them.
  private(set) var chip: [(azimuth: Double?, elevation: Double?)] = []

  /// - Throws: `CaptureError` for captures that can't be read.
  init(_ captures: [String], format: String, columns: PhaseTableColumns, truth: TruthTable) throws {
    for capture in captures {
      var reader = try openCapture(capture, format: format, columns: columns)
      var progress = Progress(capture, totalBytes: nil)
      defer { progress.finish() }
      var withoutTruth = 0
      var withoutPhases = 0
      while let exchange = try reader.next() {
        let known = exchange.truth ?? truth[capture: capture]
        if let differences = exchange.phaseDifferences, !differences.isEmpty {
          if let azimuth = known?.azimuth ?? (known?.elevation == nil ? nil : 0) {
            samples.append(
              PhaseSample(azimuth: azimuth, elevation: known?.elevation ?? 0, differences: differences))
            chip.append((exchange.chipReport?.azimuth, exchange.chipReport?.elevation))
          } else {
            withoutTruth += 1
          }
        } else {
          withoutPhases += 1
        }
        progress.update(bytes: reader.bytesRead, exchanges: exchange.index + 1)
      }
      var lost = reader.skipped.counts
      if withoutTruth > 0 { lost["noTrueAngle"] = withoutTruth }
      if withoutPhases > 0 { lost["noPhaseDifferences"] = withoutPhases }
      if !lost.isEmpty {
        let text = lost.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        Message.write("\(capture): not used: \(text)")
      }
    }
  }

  /// By direction, so that the order of rows and files does not matter to the last bit.
  mutating func sort() {
    let order = samples.indices.sorted { left, right in
      let (a, b) = (samples[left], samples[right])
      if a.elevation != b.elevation { return a.elevation < b.elevation }
      if a.azimuth != b.azimuth { return a.azimuth < b.azimuth }
      return a.differences.lexicographicallyPrecedes(b.differences)
    }
    samples = order.map { samples[$0] }
    chip = order.map { chip[$0] }
  }
}
