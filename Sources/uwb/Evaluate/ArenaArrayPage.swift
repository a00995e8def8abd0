import UWBDSP
import UWBReport
import UWBSimulation

/// `--report` of `evaluate arena` with several antennas: errors of first path and azimuth, and whether deviations are right.
struct ArenaArrayPage {
  let rows: [ArenaArrayEvaluation.Row]

  func page(_ provenance: [Page.Fact]) -> Page {
    let honesty = [
      score("First path", \.delay.score), score("Azimuth", \.azimuth.score),
    ].compactMap { $0.map(Page.Block.picture) }
    return Page(
      title: "Arena: arrays in random rooms", sentence: sentence,
      picture: PagePicture(
        "Azimuth's error of each family.", unit: "°",
        bars: rows.map { .init(name($0), value: $0.azimuth.rms.degrees, color: .series(0)) },
        caption: "Dot: RMS error, clipped at 45°; a trial without an azimuth counts as that."),
      sections: [
        .init(
          "First path",
          [
            PagePicture(
              "First path's error of each family.", unit: "cm",
              bars: rows.map { row in
                let (own, other) = (row.delay.rms * 100, row.crossingRMS * 100)
                return .init(name(row), value: own, extent: min(own, other)...max(own, other), color: .series(0))
              },
              caption: "Dot: RMS error, clipped at 4 taps; the bar ends at that of a threshold crossing on one antenna."
            )
          ].compactMap { $0.map(Page.Block.picture) }),
        .init("Honest deviations", honesty),
        .init("All figures", tables: [ArenaTables.arrays(rows)]),
      ], provenance: provenance)
  }

  private func name(_ row: ArenaArrayEvaluation.Row) -> String {
    Set(rows.map(\.method)).count > 1 ? "\(row.family.name) · \(row.method.name)" : row.family.name
  }

  private func score(_ quantity: String, _ value: (ArenaArrayEvaluation.Row) -> Double?) -> PagePicture? {
    PagePicture(
      "\(quantity): honest deviations.", unit: "",
      bars: rows.map {
        .init(name($0), value: value($0), extent: $0.family.limits.score, mark: 1, color: .series(0))
      },
      caption:
        "\(quantity). Dot: mean of the squared error over its stated variance, at most 9 each; 1 is honest. Bar: what is allowed."
    )
  }

  private var sentence: String {
    guard let first = rows.first else { return "No family was scored." }
    let worst = rows.map { $0.azimuth.rms.degrees }.max() ?? 0
    return
      "\(first.antennaCount) antennas in rooms drawn at random, \(first.trials) trials a family: azimuths err by \(String(decimal: worst, places: 1))° (RMS) in the worst."
  }
}
