import Foundation

/// Errors of distances and directions against the truth: of each stage, and by the truth's label.
public struct ReplayErrors: Sendable {
  /// What a distance may have gone through.
  enum Stage: String, CaseIterable, Sendable {
    case raw, calibrated, delivered, chip

    var name: String { self == .chip ? "chip's own" : rawValue }
    var color: PageChart.Color {
      switch self {
      case .raw: .series(1)
      case .calibrated: .series(2)
      case .delivered: .series(0)
      case .chip: .series(3)
      }
    }
  }

  /// Distances, m.
  struct Group: Sendable {
    fileprivate(set) var stages: [Stage: RunningErrors] = [:]
    fileprivate(set) var normalized = NormalisedErrors()
  }

  private(set) var all = Group()
  /// By the truth's label.
  private(set) var labelled: [String: Group] = [:]
  /// rad
  private(set) var azimuth = RunningErrors()
  /// rad
  private(set) var elevation = RunningErrors()

  /// None yet.
  public init() {}

  /// Takes what is known of the truth; an update without any counts for nothing.
  public mutating func add(_ update: ReplayReport.Update) {
    if let truth = update.trueDistance {
      Self.add(update, truth, to: &all)
      if let isLineOfSight = update.isLineOfSight {
        Self.add(update, truth, to: &labelled[isLineOfSight ? "LOS" : "NLOS", default: Group()])
      }
    }
    if let truth = update.trueAzimuth, let value = update.azimuth {
      azimuth.add((value - truth).remainder(dividingBy: 2 * .pi))
    }
    if let truth = update.trueElevation, let value = update.elevation { elevation.add(value - truth) }
  }

  private static func add(_ update: ReplayReport.Update, _ truth: Double, to group: inout Group) {
    let distances: [(Stage, Double?)] = [
      (.raw, update.rawDistance), (.calibrated, update.calibratedDistance), (.delivered, update.distance),
      (.chip, update.chipDistance),
    ]
    for (stage, distance) in distances {
      if let distance { group.stages[stage, default: RunningErrors()].add(distance - truth) }
    }
    if let distance = update.distance {
      group.normalized.add(error: distance - truth, deviation: update.distanceDeviation ?? .nan)
    }
  }

  /// Every group with its name, the whole first.
  var groups: [(name: String, group: Group)] {
    [("all", all)] + labelled.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether nothing came with a truth.
  public var isEmpty: Bool { all.stages.isEmpty && azimuth.count == 0 && elevation.count == 0 }

  // MARK: For the page

  /// How errors of distances are distributed, and whether their deviations are honest, by label; `nil` without distances.
  public var charts: PageCharts? {
    all.stages.isEmpty
      ? nil
      : PageCharts(
        label: "Label", x: .init(column: "error", "Absolute error", unit: "m"),
        tracks: groups.map { track($0.group, $0.name) }, charts: [Self.distribution, Self.histogram], isBeside: true)
  }

  /// What the delivered distances, or the azimuths, came to, in a sentence.
  public var sentence: String? {
    if let median = all.stages[.delivered]?.quantile(0.5), let tail = all.stages[.delivered]?.quantile(0.9) {
      return
        "Half of the delivered distances are within \(Self.length(median)) of the truth, 90 % within \(Self.length(tail))"
        + (all.stages[.chip]?.quantile(0.9).map { "; of the chip's own, 90 % within \(Self.length($0))." } ?? ".")
    }
    return azimuth.quantile(0.5).map {
      "Half of the azimuths are within \(NumberText.fixed($0 * 180 / .pi, decimals: 1))° of the truth."
    }
  }

  static func length(_ metres: Double) -> String {
    "\(NumberText.fixed(metres, decimals: metres < 1 ? 3 : 2)) m"
  }

  var section: Page.Section? {
    guard !isEmpty else { return nil }
    var blocks: [Page.Block] = [.table(table)]
    if let charts { blocks.append(.charts(charts)) }
    return Page.Section(
      "Errors against the truth",
      note:
        "Raw: an exchange alone. Calibrated: less what the calibration knows. Delivered: tracked, as a session hands it on.",
      blocks)
  }

  private var table: PageTable {
    var table = PageTable(
      columns: ["Label", "Stage", "Count", "Mean", "RMS", "Median", "90 %", "95 %", "Largest", "Variance of error/σ"])
    func row(
      _ name: String, _ stage: String, _ errors: RunningErrors, _ unit: String, _ scale: Double, _ places: Int,
      _ variance: Double?
    ) {
      func text(_ value: Double?) -> String {
        NumberText.fixed(value.map { $0 * scale }, decimals: places, unit: unit)
      }
      table.rows.append([
        name, stage, NumberText.count(errors.count), text(errors.mean), text(errors.rootMeanSquare),
        text(errors.quantile(0.5)),
        text(errors.quantile(0.9)), text(errors.quantile(0.95)), text(errors.largest),
        variance.map { NumberText.fixed($0, decimals: 2) } ?? "–",
      ])
    }
    for (name, group) in groups {
      for stage in Stage.allCases {
        guard let errors = group.stages[stage], errors.count > 0 else { continue }
        row(name, stage.name, errors, "m", 1, 3, stage == .delivered ? group.normalized.variance : nil)
      }
    }
    for (name, errors) in [("azimuth", azimuth), ("elevation", elevation)] where errors.count > 0 {
      row("all", name, errors, "°", 180 / .pi, 2, nil)
    }
    return table
  }

  private static var distribution: PageChart {
    PageChart(
      "Share of errors up to each size", x: .init(column: "error", "Absolute error", unit: "m", isLogarithmic: true),
      y: .init("Share of exchanges", unit: "%", range: 0...100),
      series: Stage.allCases.map {
        .init($0.name, column: $0.rawValue, $0 == .delivered ? .thick : .line, isDashed: $0 == .chip, color: $0.color)
      })
  }

  private static var histogram: PageChart {
    PageChart(
      "Error over its stated standard deviation",
      x: .init(column: "ratio", "Delivered error ÷ standard deviation", unit: ""),
      y: .init("Share of exchanges", unit: "%"),
      series: [
        .init("measured", column: "share", .bars, color: .series(0)),
        .init("where deviations are right", column: "normal", isDashed: true, color: .strong),
      ], note: "The outermost bars hold all beyond.", isConnected: true)
  }

  private func track(_ group: Group, _ name: String) -> PageTrack {
    var track = PageTrack(name: name)
    // One grid for all stages: the bins of the statistics.
    let distributions = group.stages.mapValues(\.distribution)
    let grid = Set(distributions.values.flatMap { $0.map(\.error) }).filter { $0 > 0 }.sorted()
    track.add("error", grid, step: 1e-6)
    for (stage, distribution) in distributions {
      var place = 0
      track.add(
        stage.rawValue,
        grid.map { error in
          while place < distribution.count, distribution[place].error <= error { place += 1 }
          return place > 0 ? 100 * distribution[place - 1].fraction : 0
        }, step: 0.01)
    }
    let errors = group.normalized
    guard errors.count > 0 else { return track }
    let edges =
      errors.bins.indices.map { Double($0) * NormalisedErrors.width - NormalisedErrors.limit } + [
        NormalisedErrors.limit
      ]
    track.add("ratio", edges, step: 0.01)
    let shares = errors.bins.map { 100 * Double($0) / Double(errors.count) }
    track.add("share", shares + [shares.last ?? 0], step: 0.01)
    track.add(
      "normal",
      edges.map { edge in
        100 * NormalisedErrors.width * exp(-0.5 * edge * edge) / (2 * Double.pi).squareRoot()
      }, step: 0.01)
    return track
  }
}
