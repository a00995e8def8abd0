import UWBCalibration
import UWBDSP
import UWBReport

/// `--report` of `calibrate bias`: errors on captures held out, line of sight against the labels.
struct BiasPage {
  let figures: BiasFigures
  let exchanges: LabelledExchanges
  let title: String

  func page(_ provenance: [Page.Fact]) -> Page {
    Page(
      title: "Line of sight and range bias: \(title)", sentence: sentence,
      picture: PagePicture(
        "Errors of distances.", unit: "m",
        bars: figures.methods.map { .init($0.name, value: $0.rms, extent: 0...$0.rms, mark: $0.medianAbsolute) },
        caption: "RMS error of the distance over all exchanges; upright line: the median of the absolute error."),
      sections: [
        .init(
          "Errors and line of sight, every capture held out", panels: BiasPicture.figure(figures).panels),
        .init("Captures", note: "Each was held out, and its settings were chosen without it.", tables: [captures]),
      ] + [Page.Section.losses([("Rejected exchanges", exchanges.rejected)])].compactMap { $0 },
      provenance: provenance)
  }

  private var sentence: String {
    var text = "\(exchanges.exchanges) exchanges of \(exchanges.captures.count) captures, each held out in turn."
    if let corrected = figures.methods.last, let raw = figures.methods.first {
      text += " The error is \(String(decimal: raw.rms, places: 3)) m rms before (\(raw.name)) and "
      text += "\(String(decimal: corrected.rms, places: 3)) m corrected."
    }
    if let accuracy = figures.accuracy {
      text += " Line of sight is told right for \(String(decimal: 100 * accuracy, places: 1)) % of the exchanges."
    }
    return text
  }

  private var captures: EvaluationTable {
    var table = EvaluationTable(
      name: "captures",
      columns: [
        "capture", "label", "exchanges", "true_distance_m", "raw_error_m", "rms_error_m", "deviation_m",
        "normalised_error", "line_of_sight_probability", "accuracy", "settings", "odd",
      ])
    for capture in figures.captures {
      let settings = [
        capture.bias.map { "\($0.delay.name) \($0.name) λ \($0.lambda)" },
        capture.lineOfSight.map { "LOS \($0.featureSet.rawValue) λ \($0.lambda)" },
      ]
      table.add([
        .text(capture.name), .text(capture.isLineOfSight.map { $0 ? "LOS" : "NLOS" } ?? "–"), .count(capture.exchanges),
        .number(capture.trueDistance, places: 2), .number(capture.rawError, places: 3),
        .number(capture.error, places: 3), .number(capture.deviation, places: 3),
        .number(capture.normalisedError, places: 2), .number(capture.probability, places: 2),
        .number(capture.accuracy, places: 2), .text(settings.compactMap { $0 }.joined(separator: " / ")),
        .text(capture.oddities.isEmpty ? "–" : capture.oddities.joined(separator: "; ")),
      ])
    }
    return table
  }

  /// What was learnt without labels: how strong a first path is over distance.
  static func baseline(
    _ baseline: SignalBaseline, _ samples: [QualitySample], names: [String], title: String, _ sentence: String,
    _ provenance: [Page.Fact]
  ) -> Page {
    let places = Dictionary(grouping: samples, by: \.group).sorted { $0.key < $1.key }
    return Page(
      title: "Signal level: \(title)", sentence: sentence.prefix(1).uppercased() + sentence.dropFirst(),
      picture: PagePicture(
        "Loss of each capture.", unit: "dB",
        bars: places.map { group, samples in
          let losses = samples.map { baseline.excessLossdB($0.features) }
          let median = BiasFigures.median(losses)
          return .init(
            names.indices.contains(group) ? names[group] : "\(group)", value: median,
            extent: min(0, median)...max(0, median))
        },
        caption:
          "By how much the first paths of each capture are weaker than a clear one at their distance: the median."),
      provenance: provenance)
  }
}
