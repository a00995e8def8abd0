import Foundation

/// The pictures of a replay report, from what it has gathered.
struct ReplayReportPictures {
  let report: ReplayReport

  /// Distribution of the errors and of the normalised errors; `nil` where no truth is known.
  var errors: Figure? {
    let samples = [
      ("delivered", report.distanceErrors), ("calibrated", report.calibratedErrors), ("raw", report.rawErrors),
      ("chip's own", report.chipErrors),
    ].filter { $0.1.count > 0 }
    guard !samples.isEmpty else { return nil }
    var distribution = DistributionPicture(
      title: "", errorTitle: "absolute distance error (m)",
      samples: samples.map { name, errors in
        let steps = errors.distribution
        return .init(name: name, errors: steps.map(\.error), fractions: steps.map(\.fraction))
      }
    ).panel
    distribution.title = "Distance error"
    distribution.height = 280
    // Two panels share the width, so that the names alone fit; the table has the figures.
    for (index, sample) in samples.enumerated() { distribution.series[index].name = sample.0 }
    let panels = report.normalisedErrors.count > 1 ? [distribution, normalised] : [distribution]
    return Figure(title: "", panels: panels, columns: panels.count)
  }

  private var normalised: Panel {
    let errors = report.normalisedErrors
    let edges = (0...errors.bins.count).map { Double($0) * NormalisedErrors.width - NormalisedErrors.limit }
    let density = errors.bins.map { Double($0) / Double(errors.count) / NormalisedErrors.width }
    var panel = Panel(
      title: "Error over its stated deviation",
      x: Axis("error / σ (outermost bars: and beyond)", range: -NormalisedErrors.limit...NormalisedErrors.limit),
      y: Axis("density", includes: [0], padding: 0.04), height: 280)
    panel.bands = [
      Band(
        "delivered", x: edges, lower: edges.map { _ in 0 }, upper: density + [0], ink: .series(0), shape: .bars)
    ]
    let places = (0...120).map { Double($0) / 12 - 5 }
    panel.series = [
      Series(
        "honest (normal, variance 1)", x: places, y: places.map { exp(-$0 * $0 / 2) / (2 * Double.pi).squareRoot() },
        ink: .strong, line: .dashed)
    ]
    return panel
  }

  /// Everything over time of one track.
  func figure(of track: ReplayTrack) -> Figure {
    var panels = [distance(of: track)]
    panels += [
      angle(of: track, .azimuth, .trueAzimuth), angle(of: track, .elevation, .trueElevation),
      signal(of: track), firstPath(of: track), lineOfSight(of: track),
    ].compactMap { $0 }
    // One time axis for all, so that they can be read under each other.
    let times = ReplayTrack.Channel.allCases.flatMap(track.times).sorted()
    if let first = times.first, let last = times.last, first < last {
      for index in panels.indices { panels[index].x.range = first...last }
    }
    for index in panels.indices.dropLast() { panels[index].x.title = "" }
    return Figure(title: "", panels: panels)
  }

  private func distance(of track: ReplayTrack) -> Panel {
    let tracks = [
      track.timeline(.distance, .estimate), track.timeline(.raw, .samples),
      track.timeline(.chip, .samples), track.timeline(.truth, .truth),
    ]
    var panel = TimelinePicture(title: "", quantity: "distance (m)", tracks: tracks.compactMap { $0 }).panel
    panel.bands += envelopes(of: track, [.raw, .chip], in: panel)
    panel.height = 260
    let rejected = track.times(of: .rejected)
    if !rejected.isEmpty { panel.events = Events(ReplayTrack.Channel.rejected.name, x: rejected) }
    return panel
  }

  private func envelopes(of track: ReplayTrack, _ channels: [ReplayTrack.Channel], in panel: Panel) -> [Band] {
    channels.compactMap { channel in
      let series = panel.series.first { $0.name == channel.name }
      return track.envelope(channel, series?.ink ?? .neutral)
    }
  }

  private func angle(
    of track: ReplayTrack, _ channel: ReplayTrack.Channel, _ truth: ReplayTrack.Channel
  ) -> Panel? {
    guard let estimate = track.timeline(channel, .estimate) else { return nil }
    let tracks = [estimate] + [track.timeline(truth, .truth)].compactMap { $0 }
    var panel = TimelinePicture(title: "", quantity: "\(channel.name) (°)", tracks: tracks, period: 360).panel
    panel.height = 160
    return panel
  }

  private func signal(of track: ReplayTrack) -> Panel? {
    guard let snr = track.timeline(.snr, .samples) else { return nil }
    var panel = TimelinePicture(title: "", quantity: "SNR (dB)", tracks: [snr]).panel
    panel.y.scale = .decibel
    panel.bands += envelopes(of: track, [.snr], in: panel)
    panel.height = 120
    return panel
  }

  private func firstPath(of track: ReplayTrack) -> Panel? {
    let tracks: [TimelinePicture.Track?]
    if track.isEmpty(.firstPathOffset) {
      tracks = [track.timeline(.firstPath, .samples)]
    } else {
      tracks = [track.timeline(.firstPathOffset, .samples)]
    }
    guard let only = tracks.compactMap({ $0 }).first else { return nil }
    var panel = TimelinePicture(title: "", quantity: "taps", tracks: [only]).panel
    panel.bands += envelopes(of: track, [track.isEmpty(.firstPathOffset) ? .firstPath : .firstPathOffset], in: panel)
    panel.height = 120
    return panel
  }

  private func lineOfSight(of track: ReplayTrack) -> Panel? {
    guard let probability = track.timeline(.lineOfSight, .samples) else { return nil }
    var panel = TimelinePicture(title: "", quantity: "probability", tracks: [probability]).panel
    panel.bands += envelopes(of: track, [.lineOfSight], in: panel)
    panel.y.range = 0...1
    panel.height = 90
    return panel
  }
}
