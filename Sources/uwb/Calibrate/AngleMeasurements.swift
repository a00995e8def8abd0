import UWBCalibration
import UWBCapture
import UWBDSP

/// What captures hold for an angle calibration: phase differences with true angles, and the chip's own angles.
struct AngleMeasurements {
  private(set) var samples: [PhaseSample] = []
  /// Of each sample: the chip's azimuth and elevation, rad, where it gave them.
  private(set) var chip: [(azimuth: Double?, elevation: Double?)] = []
  /// First paths across the antennas of CIRs, and the antennas.
  private(set) var snapshots: [AntennaSnapshot] = []
  private(set) var array: AntennaArray?
  private(set) var origin = OriginRecord()

  /// - Throws: `CaptureError` for captures that can't be read.
  init(
    _ captures: [String], input: InputOptions, truth: TruthTable, array given: AntennaArray?
  ) throws {
    for capture in captures {
      var engine: (engine: RangingEngine, workspace: RangingEngine.Workspace)?
      var reader = try input.open(capture)
      try origin.begin(capture)
      var withoutTruth = 0
      var withoutPhases = 0
      try reader.forEach(showing: capture, of: capture) { exchange, header in
        let known = exchange.truth ?? truth[capture: capture]
        origin.add(exchange, truth: known)
        if engine == nil, let antennas = given ?? header.array.map(AntennaArray.init) {
          let profile = try input.deviceProfile(of: header, file: capture)
          let ranging = RangingEngine(RangingEngine.Configuration(profile: profile, array: antennas))
          origin.set(ranging.configuration)
          engine = (ranging, ranging.makeWorkspace())
          array = array ?? antennas
          guard antennas == array else {
            throw CaptureError(
              file: capture, problem: "its antennas are others than those of the captures before",
              remedy: "Calibrate each device by itself, or give its antennas with --array.")
          }
        }
        // Of a truth that knows one angle the other is 0.
        let azimuth = known?.azimuth ?? (known?.elevation == nil ? nil : 0)
        let elevation = known?.elevation ?? 0
        if let differences = exchange.phaseDifferences, !differences.isEmpty {
          if let azimuth {
            samples.append(PhaseSample(azimuth: azimuth, elevation: elevation, differences: differences))
            chip.append((exchange.chipReport?.azimuth, exchange.chipReport?.elevation))
          } else {
            withoutTruth += 1
          }
        } else if let engine,
          let amplitudes = engine.engine.firstPathAmplitudes(of: exchange, using: engine.workspace)
        {
          if let azimuth {
            snapshots.append(AntennaSnapshot(azimuth: azimuth, elevation: elevation, amplitudes: amplitudes))
          } else {
            withoutTruth += 1
          }
        } else {
          withoutPhases += 1
        }
      }
      var lost = reader.skipped.counts
      if withoutTruth > 0 { lost["noTrueAngle"] = withoutTruth }
      if withoutPhases > 0 { lost["noPhases"] = withoutPhases }
      if !lost.isEmpty { Message.note("\(capture): not used: \(lost.list())") }
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

  /// For a report on antennas: each snapshot with its direction before calibration in the chip's place.
  init(_ snapshots: [AntennaSnapshot], before: [PhaseFit.Estimate?]) {
    samples = snapshots.map { PhaseSample(azimuth: $0.azimuth, elevation: $0.elevation, differences: []) }
    chip = before.map { ($0?.azimuth, $0?.elevation) }
  }
}
