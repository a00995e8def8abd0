import UWBDSP
import UWBSimulation

/// How good the model that ships is on simulated sites that it has not met.
struct SimulatedReport {
  let model: SimulatedTraining
  let judging: LineOfSightTrials.Result
  /// Places seen through windows of so many taps.
  let windows: [(taps: Int, samples: [QualitySample])]

  private struct Judged {
    var odds: [Double] = []
    var labels: [Bool] = []

    mutating func add(_ value: Double, _ sample: QualitySample) {
      odds.append(value)
      labels.append(sample.isLineOfSight == true)
    }
  }

  var text: String {
    var shape = Judged()
    var byKind: [LineOfSightSite.Kind: Judged] = [:]
    for (sample, kind) in zip(judging.samples, judging.kinds) {
      let odds = model.shape.logOdds(sample.features)
      shape.add(odds, sample)
      byKind[kind, default: Judged()].add(odds, sample)
    }
    var lines = "\(judging.samples.count) places of other sites, \(judging.missed) without a first path left out\n"
    lines += "sites".padded(to: 34) + "area   right\n"
    lines += row("all, by shape", shape)
    for kind in LineOfSightSite.Kind.allCases {
      if let judged = byKind[kind] { lines += row("  " + kind.rawValue, judged) }
    }
    let byRadio = withReportedPower()
    lines += row("with path loss, shape and radio", byRadio)
    let (before, after) = withBaselines()
    lines += row("with path loss, by shape", before)
    lines += row("the same, baselines learnt", after)
    let short = windows.map { taps, samples in
      var judged = Judged()
      for sample in samples { judged.add(model.shape.logOdds(sample.features), sample) }
      return ("windows of \(taps) taps, by shape", judged)
    }
    for (name, judged) in short { lines += row(name, judged) }
    lines += "stated probability, mean and share in line of sight\n"
    lines +=
      reliability("by shape", shape) + reliability("by shape and radio", byRadio)
      + reliability("baselines learnt", after)
    for (name, judged) in short { lines += reliability(name, judged) }
    return lines
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
    let right = Double(zip(judged.odds, judged.labels).count { ($0 > 0) == $1 }) / Double(max(judged.odds.count, 1))
    let area = ReceiverOperatingCurve(scores: judged.odds, labels: judged.labels)?.area ?? .nan
    return name.padded(to: 34) + String(decimal: area, places: 3).padded(to: 7) + String(decimal: right, places: 3)
      + "\n"
  }

  private func reliability(_ name: String, _ judged: Judged) -> String {
    let probabilities = judged.odds.map { LogisticRegression.probability(logOdds: $0) }
    var text = "  " + name + ":"
    for bin in 0..<5 {
      let inside = probabilities.indices.filter { min(Int(5 * probabilities[$0]), 4) == bin }
      guard !inside.isEmpty else { continue }
      let stated = inside.reduce(0) { $0 + probabilities[$1] } / Double(inside.count)
      let found = Double(inside.count { judged.labels[$0] }) / Double(inside.count)
      text += " " + String(decimal: stated, places: 2) + "/" + String(decimal: found, places: 2)
    }
    return text + "\n"
  }
}
