/// Empirical distribution of the absolute errors of several estimators: which part of them stays below each value.
public struct DistributionPicture: Sendable, Hashable {
  /// Errors of one method.
  public struct Sample: Sendable, Hashable {
    /// Entry in the legend.
    public var name: String
    /// Absolute errors, rising.
    public var errors: [Double]
    /// Part of the whole, 0 … 1, with an error up to the one of the same index.
    public var fractions: [Double]

    /// A sample of signed or absolute errors in any order. What is not finite counts as an answer that is missing: its
    /// part of the whole is never reached.
    public init(name: String, errors: some Sequence<Double>) {
      var (sorted, count) = ([Double](), 0)
      for error in errors {
        count += 1
        if error.isFinite { sorted.append(abs(error)) }
      }
      sorted.sort()
      self.name = name
      self.errors = sorted
      fractions = sorted.indices.map { Double($0 + 1) / Double(count) }
    }

    /// A distribution that has been worked out already.
    public init(name: String, errors: [Double], fractions: [Double]) {
      self.name = name
      self.errors = errors
      self.fractions = fractions
    }

    /// The smallest error with at least `fraction` of the whole up to it; `nil` where it is never reached.
    public func quantile(_ fraction: Double) -> Double? {
      zip(errors, fractions).first { $1 >= fraction - 1e-12 }?.0
    }
  }

  /// Title above the figure.
  public var title: String
  /// A line below the title; `nil` for none.
  public var subtitle: String?
  /// Quantity and unit, as in "absolute error (m)".
  public var errorTitle: String
  /// The methods, one curve each.
  public var samples: [Sample]
  /// Logarithmic shows tails of any length; linear ends at the largest 98th percentile.
  public var scale: Axis.Scale

  /// Creates one with the given values.
  public init(
    title: String, subtitle: String? = nil, errorTitle: String = "absolute error (m)", samples: [Sample],
    scale: Axis.Scale = .linear
  ) {
    self.title = title
    self.subtitle = subtitle
    self.errorTitle = errorTitle
    self.samples = samples
    self.scale = scale
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  /// The picture as a figure.
  public var figure: Figure { Figure(title: title, subtitle: subtitle, panels: [panel]) }

  /// The picture as a plot.
  public var panel: Panel {
    var panel = Panel(x: Axis(errorTitle, scale: scale, padding: 0), y: Axis("part of all", range: 0...1), height: 340)
    let ends = samples.compactMap { $0.quantile(0.98) ?? $0.errors.last }.filter { $0 > 0 && $0 < 1e12 }
    let starts = samples.compactMap { $0.quantile(0.005) }.filter { $0 > 0 }
    if scale != .logarithmic, let end = ends.max() { panel.x.range = 0...end }
    if scale == .logarithmic, let start = starts.min(), let end = samples.compactMap({ $0.errors.last }).max(),
      start < end
    {
      panel.x.range = start...end
    }
    panel.series = samples.enumerated().map { index, sample in
      var series = Series(legend(sample), x: sample.errors, y: sample.fractions, isStepped: true).told(apartBy: index)
      series.marker = nil
      if scale != .logarithmic, let first = sample.errors.first {
        series.x = [0, first] + sample.errors
        series.y = [0, 0] + sample.fractions
      }
      // What is never reached stays level to the end.
      if let end = panel.x.range?.upperBound, let last = sample.errors.last, last < end {
        series.x.append(end)
        series.y.append(sample.fractions.last ?? 0)
      }
      return series
    }
    panel.lines = [0.5, 0.9].map {
      ReferenceLine(.y, at: $0, label: "\(Int($0 * 100)) %", ink: .neutral, line: .dotted)
    }
    return panel
  }

  private func legend(_ sample: Sample) -> String {
    let quantiles = [(0.5, "median"), (0.9, "90 %")].compactMap { fraction, name in
      sample.quantile(fraction).map { "\(name) \(NumberText.significant($0, digits: 2))" }
    }
    return ([sample.name] + quantiles).joined(separator: " · ")
  }
}
