import UWBCalibration
import UWBDSP
import UWBReport
import UWBSimulation

/// How good the model that ships is on simulated sites that it has not met.
struct SimulatedReport {
  let model: SimulatedTraining
  let judging: LineOfSightTrials.Result
  /// Places seen through windows of so many taps.
  let windows: [(taps: Int, samples: [QualitySample])]

  struct Judged {
    fileprivate var odds: [Double] = []
    fileprivate var labels: [Bool] = []

    fileprivate mutating func add(_ value: Double, _ sample: QualitySample) {
      odds.append(value)
      labels.append(sample.isLineOfSight == true)
    }
  }

  /// What was judged, by its name in the table; those with a stated probability come again below.
  private var judged: [(name: String, short: String?, judged: Judged)] {
    var shape = Judged()
    var byKind: [LineOfSightSite.Kind: Judged] = [:]
    for (sample, kind) in zip(judging.samples, judging.kinds) {
      let odds = model.shape.logOdds(sample.features)
      shape.add(odds, sample)
      byKind[kind, default: Judged()].add(odds, sample)
    }
    var list: [(name: String, short: String?, judged: Judged)] = [("all, by shape", "by shape", shape)]
    for kind in LineOfSightSite.Kind.allCases {
      if let judged = byKind[kind] { list.append(("  " + kind.rawValue, nil, judged)) }
    }
    list.append(("with path loss, shape and radio", "by shape and radio", withReportedPower()))
    let (before, after) = withBaselines()
    list.append(("with path loss, by shape", nil, before))
    list.append(("the same, baselines learnt", "baselines learnt", after))
    for (taps, samples) in windows {
      var judged = Judged()
      for sample in samples { judged.add(model.shape.logOdds(sample.features), sample) }
      let name = "windows of \(taps) taps, by shape"
      list.append((name, name, judged))
    }
    return list
  }

  var text: String {
    var lines = "\(judging.samples.count) places of other sites, \(judging.missed) without a first path left out\n"
    lines += "sites".padded(to: 34) + "area   right\n"
    let judged = judged
    for entry in judged { lines += row(entry.name, entry.judged) }
    lines += "stated probability, mean and share in line of sight\n"
    for entry in judged { if let short = entry.short { lines += reliability(short, entry.judged) } }
    return lines
  }

  func page(sites: Int, _ provenance: [Page.Fact]) -> Page {
    let judged = judged
    var table = EvaluationTable(name: "judged on other sites", columns: ["sites", "area", "right"])
    for entry in judged {
      table.add([
        .text(entry.name), .number(entry.judged.area, places: 3), .number(entry.judged.right, places: 3),
      ])
    }
    var panel = Panel(
      title: "Stated probability against what was so", x: Axis("stated probability, mean", range: 0...1),
      y: Axis("share in line of sight", range: 0...1))
    panel.series = [Series("where probabilities are right", x: [0, 1], y: [0, 1], ink: .strong, line: .dashed)]
    panel.series += judged.filter { $0.short != nil }.enumerated().map { index, entry in
      let bins = entry.judged.reliability
      return Series(entry.short, x: bins.map(\.stated), y: bins.map(\.found), ink: .series(index), marker: .dot)
    }
    return Page(
      title: "Line-of-sight model of simulated sites",
      sentence:
        "Trained on \(sites) simulated sites and judged on \(judging.samples.count) places of other sites: by the shape of the CIR alone "
        + "\(String(decimal: judged.first.map { 100 * $0.judged.right }, places: 1)) % are right.",
      picture: PagePicture(
        "Area under the curve.", unit: "",
        bars: judged.map {
          .init(
            $0.name, value: $0.judged.area, extent: 0...max(0, $0.judged.area.isFinite ? $0.judged.area : 0), mark: 0.5)
        }, caption: "Area under the receiver operating characteristic; upright line: a coin."),
      sections: [.init("Probabilities", panels: [panel]), .init("Figures", tables: [table])], provenance: provenance)
  }

  /// Sites with a level of their own, of which the radio's distribution is known alone.
  private func withReportedPower() -> Judged {
    var judged = Judged()
    for (sample, kind) in zip(judging.samples, judging.kinds) where kind.hasPathLoss {
      let shape = model.shape.logOdds(sample.features)
      let odds = LineOfSightTrials.signal.logOdds(shape: shape, sample.features, under: model.excess)
      judged.add(odds ?? shape, sample)
    }
    return judged
  }

  /// Baselines learnt on every other place of a site, without labels; judged on the others.
  private func withBaselines() -> (before: Judged, after: Judged) {
    var (before, after) = (Judged(), Judged())
    let indices = judging.samples.indices.filter { judging.kinds[$0].hasPathLoss }
    let sites = Dictionary(grouping: indices) { judging.samples[$0].group }.sorted { $0.key < $1.key }
    let fit = SignalBaselineFit(model.excess)
    for (_, places) in sites {
      let learnt = places.enumerated().filter { $0.offset % 2 == 0 }.map { offset, index in
        var sample = judging.samples[index]
        sample.group = offset
        return sample
      }
      let baseline = fit.fit(learnt)
      for (offset, index) in places.enumerated() where offset % 2 == 1 {
        let sample = judging.samples[index]
        let shape = model.shape.logOdds(sample.features)
        before.add(shape, sample)
        let odds = baseline.map {
          model.excess.logOdds(shape: shape, excessLossdB: $0.excessLossdB(sample.features))
        }
        after.add(odds ?? shape, sample)
      }
    }
    return (before, after)
  }

  private func row(_ name: String, _ judged: Judged) -> String {
    name.padded(to: 34) + String(decimal: judged.area, places: 3).padded(to: 7)
      + String(decimal: judged.right, places: 3) + "\n"
  }

  private func reliability(_ name: String, _ judged: Judged) -> String {
    let bins = judged.reliability.map {
      " " + String(decimal: $0.stated, places: 2) + "/" + String(decimal: $0.found, places: 2)
    }
    return "  \(name):\(bins.joined())\n"
  }
}

extension SimulatedReport.Judged {
  /// Under the receiver operating characteristic.
  fileprivate var area: Double { ReceiverOperatingCurve(scores: odds, labels: labels)?.area ?? .nan }

  fileprivate var right: Double {
    Double(zip(odds, labels).count { ($0 > 0) == $1 }) / Double(max(odds.count, 1))
  }

  /// By fifths of the stated probability: its mean, and the share in line of sight.
  fileprivate var reliability: [(stated: Double, found: Double)] {
    let probabilities = odds.map { LineOfSightModel.probability(logOdds: $0) }
    return (0..<5).compactMap { bin in
      let inside = probabilities.indices.filter { min(Int(5 * probabilities[$0]), 4) == bin }
      guard !inside.isEmpty else { return nil }
      return (
        inside.reduce(0) { $0 + probabilities[$1] } / Double(inside.count),
        Double(inside.count { labels[$0] }) / Double(inside.count)
      )
    }
  }
}
