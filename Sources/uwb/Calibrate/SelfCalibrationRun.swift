import ArgumentParser
import UWBCalibration
import UWBCapture
import UWBDSP
import UWBReport

extension SelfCalibration.Arrangement: ExpressibleByArgument {}

/// `uwb calibrate delay --self`: delays from ranges between devices at places that nobody has measured.
struct SelfCalibrationRun {
  /// `--known-delay 000c=0.81`
  struct KnownDelay: ExpressibleByArgument {
    var device: DeviceAddress
    /// s
    var delay: Double

    init?(argument: String) {
      let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let device = DeviceAddress(String(parts[0])),
        let nanoseconds = Double(parts[1]), nanoseconds.isFinite, abs(nanoseconds) <= 1e6
      else { return nil }
      self.device = device
      delay = nanoseconds * 1e-9
    }
  }

  /// Of a known delay: a picosecond, below what any range tells.
  private static let delayDeviation = 1e-12

  let captures: [String]
  let ranges: PairRanges
  let observations: [SelfCalibration.Observation]
  let solution: SelfCalibration.Solution

  /// - Throws: `CaptureError` for captures that can't be read, and for a set-up that determines no delays.
  init(
    _ captures: [String], truth: TruthTable?, engine: EngineOptions, arrangement: SelfCalibration.Arrangement,
    knownDelays: [KnownDelay], placeDeviation: Double, surveyDeviation: Double
  ) throws {
    self.captures = captures
    ranges = try PairRanges(captures, truth: truth, engine: engine)
    let pairs = ranges.distances.keys.sorted()
    var observations: [SelfCalibration.Observation] = []
    for pair in pairs {
      guard let found = SelfCalibration.range(of: ranges.distances[pair] ?? [], placeDeviation: placeDeviation)
      else { continue }
      observations.append(.range(pair.one, pair.other, distance: found.distance, deviation: found.deviation))
    }
    for pair in pairs {
      guard let distance = ranges.known[pair] else { continue }
      observations.append(.distance(pair.one, pair.other, distance: distance, deviation: surveyDeviation))
    }
    let seen = Set(pairs.flatMap { [$0.one, $0.other] })
    for known in knownDelays {
      guard seen.contains(known.device) else {
        throw CaptureError(
          file: captures.joined(separator: ", "), problem: "device \(known.device) of --known-delay is in no capture",
          remedy: "There are: \(seen.map(\.description).sorted().joined(separator: ", ")).")
      }
      observations.append(.delay(known.device, delay: known.delay, deviation: Self.delayDeviation))
    }
    self.observations = observations
    do {
      solution = try SelfCalibration(arrangement: arrangement).solve(observations)
    } catch {
      throw Self.captureError(error, captures, arrangement)
    }
  }

  // MARK: What is missing

  private static func captureError(
    _ failure: SelfCalibration.Failure, _ captures: [String], _ arrangement: SelfCalibration.Arrangement
  ) -> CaptureError {
    func list(_ devices: [DeviceAddress]) -> String { devices.map(\.description).joined(separator: ", ") }
    let (problem, remedy): (String, String) =
      switch failure {
      case .noRanges:
        ("there are no ranges to calibrate by", "Give captures in line of sight, with distances.")
      case .didNotSettle:
        ("places and delays did not settle", "Check the captures' addresses, and whether the devices stood still.")
      case .notDetermined(let devices, let observations, let unknowns, let missing, let unpaired):
        (
          "\(observations) ranges and known values for \(unknowns) unknowns (\(arrangement.places)) leave the delay of "
            + "\(list(devices)) open",
          Self.remedy(arrangement, observations, unknowns, missing, unpaired)
        )
      case .ambiguous(let devices):
        (
          "other places explain the ranges as well, with another delay of \(list(devices))",
          "Add a device, or a distance to the truth table, or give a delay with --known-delay."
        )
      case .tooUncertain(let devices, let deviation):
        (
          "the places tell the delay of \(list(devices)) to \(String(decimal: deviation, places: 2)) m only",
          "Devices nearly in a line, or six of them in a ring, tell little: move some, add one, or add a known distance."
        )
      }
    return CaptureError(file: captures.joined(separator: ", "), problem: problem, remedy: remedy)
  }

  private static func remedy(
    _ arrangement: SelfCalibration.Arrangement, _ observations: Int, _ unknowns: Int, _ missing: Int,
    _ unpaired: [[DeviceAddress]]
  ) -> String {
    let values = missing == 1 ? "One more value is missing" : "\(missing) more values are missing"
    let known = "a known distance in the truth table, or a --known-delay"
    if arrangement == .line {
      return "\(values): on a line the two devices at its ends each need \(known), however many stand between."
    }
    let enough = arrangement == .plane ? "in a plane seven devices" : "in space eight devices"
    if !unpaired.isEmpty {
      let pairs = unpaired.prefix(4).map { "\($0[0])–\($0[1])" }.joined(separator: ", ")
      let more = unpaired.count > 4 ? " and \(unpaired.count - 4) more" : ""
      return "\(values): range the pairs \(pairs)\(more), or give \(known). All pairs ranged, \(enough) do."
    }
    return observations < unknowns
      ? "\(values): add a device (\(enough) do), or \(known)."
      : "\(values), for the places are of a special kind (a line, a regular ring): move a device, or give \(known)."
  }

  // MARK: Output

  var tables: [EvaluationTable] {
    var devices = EvaluationTable(
      name: "antenna delays", columns: ["device", "delay_ns", "delay_std_ns", "x_m", "y_m", "z_m"])
    for device in solution.devices {
      devices.add(
        [
          .text("\(device.address)"), .number(device.delay * 1e9, places: 4),
          .number(device.delayDeviation * 1e9, places: 4),
        ] + (0..<3).map { .number(device.position[$0], places: 3) })
    }
    var rows = EvaluationTable(
      name: "what the delays come from",
      columns: ["one", "other", "kind", "exchanges", "observed_m", "residual_m", "normalised_residual", "used"])
    for (observation, row) in zip(observations, solution.rows) {
      let used: EvaluationTable.Cell = .text(row.isSetAside ? "no: does not fit" : "yes")
      let (normalised, residual) = (
        EvaluationTable.Cell.number(row.normalisedResidual, places: 2),
        EvaluationTable.Cell.number(row.residual, places: 4)
      )
      switch observation {
      case .range(let one, let other, let distance, _):
        let count = ranges.distances[PairRanges.Pair(one, other)]?.reduce(0) { $0 + $1.count } ?? 0
        rows.add([
          .text("\(one)"), .text("\(other)"), .text("range"), .count(count), .number(distance, places: 4), residual,
          normalised, used,
        ])
      case .distance(let one, let other, let distance, _):
        rows.add([
          .text("\(one)"), .text("\(other)"), .text("known distance"), .count(0), .number(distance, places: 4),
          residual, normalised, used,
        ])
      case .delay: break
      }
    }
    return [devices, rows] + (ranges.samples.isEmpty ? [] : [errors])
  }

  /// Where captures know their own distances, which took no part.
  private var errors: EvaluationTable {
    let calibration = solution.calibration
    var (before, after) = (RangingErrors(), RangingErrors())
    for sample in ranges.samples {
      before.add(sample.error, deviation: sample.deviation)
      let bias = calibration.bias(local: sample.pair.one, peer: sample.pair.other, powerdBm: nil)
      after.add(sample.error, deviation: sample.deviation, without: bias)
    }
    var table = EvaluationTable(
      name: "errors against the captures' own truth, which took no part", columns: ["stage"] + RangingErrors.columns)
    table.add([.text("raw")] + before.cells)
    table.add([.text("calibrated")] + after.cells)
    return table
  }

  // MARK: For the page

  var sentence: String {
    let pairs = ranges.distances.count
    return
      "\(solution.devices.count) devices, \(pairs) pairs of them ranged: delays and places fitted together, to "
      + "\(String(decimal: solution.pairDeviation, places: 3)) m (one standard deviation) of a calibrated distance. "
  }

  var section: Page.Section {
    var plan = Panel(title: "Where the devices stand", x: Axis("x (m)"), y: Axis("y (m)"))
    plan.series = solution.devices.enumerated().map { index, device in
      Series(
        "\(device.address)", x: [device.position[0]], y: [device.position[1]], ink: .series(index), line: nil,
        marker: .dot)
    }
    var residuals = Panel(title: "Residuals", x: Axis("measured distance (m)"), y: Axis("measured less fitted (m)"))
    let ranged = zip(observations, solution.rows).compactMap { observation, row -> (Double, Double, Bool)? in
      if case .range(_, _, let distance, _) = observation { (distance, row.residual, row.isSetAside) } else { nil }
    }
    residuals.series = [false, true].map { isSetAside in
      let own = ranged.filter { $0.2 == isSetAside }
      return Series(
        isSetAside ? "set aside" : "used", x: own.map(\.0), y: own.map(\.1), ink: .series(isSetAside ? 6 : 0),
        line: nil,
        marker: .dot)
    }
    return .init(
      "Places and residuals",
      [.charts(PageCharts([plan, residuals], isBeside: true))] + tables.map { .table(PageTable($0)) })
  }

  /// What people should know beside the tables.
  var messages: [String] {
    var list: [String] = []
    let set = zip(observations, solution.rows).filter(\.1.isSetAside).count
    if ranges.obstructed > 0 { list.append("\(ranges.obstructed) captures labelled NLOS took no part.") }
    if set > 0 {
      list.append("\(set) of \(observations.count) ranges and known values don't fit the others and took no part.")
    }
    if solution.redundancy == 0 {
      list.append(
        "There are as many values as unknowns: nothing checks the ranges, and deviations rest on --place-deviation alone."
      )
    }
    if solution.scale > 1 {
      list.append(
        "Residuals are \(String(decimal: solution.scale, places: 1)) times what deviations allow; delays' deviations count it."
      )
    }
    return list
  }
}

extension SelfCalibration.Arrangement {
  fileprivate var places: String {
    switch self {
    case .line: "places on a line, and delays"
    case .plane: "places in a plane, and delays"
    case .space: "places in space, and delays"
    }
  }
}
