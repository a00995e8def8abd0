/// A quantity over time: estimates with their deviations, what others say of it, and the truth where it is known.
public struct TimelinePicture: Sendable, Hashable {
  /// One quantity over time.
  public struct Track: Sendable, Hashable {
    /// What a track shows.
    public enum Role: Sendable, Hashable {
      /// A line with a band of two standard deviations.
      case estimate
      /// Single points: measurements before tracking, a chip's own answer.
      case samples
      /// A line that stands back.
      case truth
    }

    /// Entry in the legend.
    public var name: String
    /// What the track shows.
    public var role: Role
    /// s
    public var times: [Double]
    /// Not finite where there is none: a gap.
    public var values: [Double]
    /// Standard deviations; empty where none are known.
    public var deviations: [Double]

    /// Creates one with the given values.
    public init(name: String, role: Role, times: [Double], values: [Double], deviations: [Double] = []) {
      self.name = name
      self.role = role
      self.times = times
      self.values = values
      self.deviations = deviations
    }
  }

  /// Title above the figure.
  public var title: String
  /// A line below the title; `nil` for none.
  public var subtitle: String?
  /// Quantity and unit, as in "distance (m)".
  public var quantity: String
  /// The tracks, in the order in which they are drawn.
  public var tracks: [Track]
  /// A value that means the same as 0, as 360 for degrees: lines break where they jump by more than its half.
  public var period: Double?

  /// Creates one with the given values.
  public init(
    title: String, subtitle: String? = nil, quantity: String = "distance (m)", tracks: [Track], period: Double? = nil
  ) {
    self.title = title
    self.subtitle = subtitle
    self.quantity = quantity
    self.tracks = tracks
    self.period = period
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  /// The picture as a figure.
  public var figure: Figure { Figure(title: title, subtitle: subtitle, panels: [panel]) }

  /// The picture as a plot.
  public var panel: Panel {
    var panel = Panel(
      x: Axis("time (s)", scale: .duration, padding: 0.005), y: Axis(quantity, padding: 0.06), height: 320)
    let times = tracks.flatMap(\.times).filter(\.isFinite)
    if let last = times.max(), let first = times.min(), last - first > 120 { panel.x.title = "time" }
    // Points lie under lines, estimates over the truth that they should hide.
    let order: [Track.Role] = [.samples, .truth, .estimate]
    for role in order {
      for (index, track) in tracks.enumerated() where track.role == role {
        draw(track, index: index, in: &panel)
      }
    }
    return panel
  }

  private func draw(_ track: Track, index: Int, in panel: inout Panel) {
    let (times, values, deviations) = withBreaks(track)
    var series = Series(track.name, x: times, y: values, ink: .series(index))
    switch track.role {
    case .samples:
      series.line = nil
      series.marker = .speck
    case .truth:
      (series.ink, series.line) = (.strong, .dashed)
    case .estimate:
      if !deviations.isEmpty {
        let lower = zip(values, deviations).map { $0 - 2 * $1 }
        let upper = zip(values, deviations).map { $0 + 2 * $1 }
        panel.y.includes += usualBand(values, deviations)
        panel.bands.append(
          Band("\(track.name) ± 2 σ", x: times, lower: lower, upper: upper, ink: .series(index), widensRange: false))
      }
    }
    panel.series.append(series)
  }

  /// Where the band usually ends. A deviation that explodes now and then, or is larger than all that is to be seen, must
  /// not flatten everything else.
  private func usualBand(_ values: [Double], _ deviations: [Double]) -> [Double] {
    let spreads = deviations.filter { $0.isFinite }.sorted()
    let all = tracks.flatMap(\.values).filter { $0.isFinite }
    guard let low = values.filter({ $0.isFinite }).min(), let high = values.filter({ $0.isFinite }).max(),
      let least = all.min(), let most = all.max(), !spreads.isEmpty
    else { return [] }
    let reach = min(2 * spreads[spreads.count / 2], most > least ? 2 * (most - least) : .infinity)
    return [low - reach, high + reach]
  }

  private func withBreaks(_ track: Track) -> (times: [Double], values: [Double], deviations: [Double]) {
    guard let period, track.role != .samples else { return (track.times, track.values, track.deviations) }
    var (times, values, deviations) = ([Double](), [Double](), [Double]())
    for (index, (time, value)) in zip(track.times, track.values).enumerated() {
      if let last = values.last, abs(value - last) > period / 2 {
        times.append(time)
        values.append(.nan)
        if !track.deviations.isEmpty { deviations.append(.nan) }
      }
      times.append(time)
      values.append(value)
      if !track.deviations.isEmpty {
        deviations.append(index < track.deviations.count ? track.deviations[index] : .nan)
      }
    }
    return (times, values, deviations)
  }
}
