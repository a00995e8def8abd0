/// Error of several estimators over signal-to-noise ratio, beside the bound that none can beat.
public struct ErrorOverSNRPicture: Sendable, Hashable {
  /// One estimator's error at each signal-to-noise ratio; what is not finite or not positive leaves a gap.
  public struct Curve: Sendable, Hashable {
    /// Entry in the legend.
    public var name: String
    /// Signal-to-noise ratios, dB.
    public var snrdB: [Double]
    /// In the unit that the error axis names.
    public var error: [Double]

    /// Creates one with the given values.
    public init(name: String, snrdB: [Double], error: [Double]) {
      self.name = name
      self.snrdB = snrdB
      self.error = error
    }
  }

  /// Title above the figure.
  public var title: String
  /// A line below the title; `nil` for none.
  public var subtitle: String?
  /// Quantity and unit of the error, as in "RMSE (m)".
  public var errorTitle: String
  /// The estimators, one curve each.
  public var estimators: [Curve]
  /// Cramér–Rao bounds and the like, drawn dashed.
  public var bounds: [Curve]

  /// Creates one with the given values.
  public init(
    title: String, subtitle: String? = nil, errorTitle: String = "RMSE (m)", estimators: [Curve], bounds: [Curve] = []
  ) {
    self.title = title
    self.subtitle = subtitle
    self.errorTitle = errorTitle
    self.estimators = estimators
    self.bounds = bounds
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  /// The picture as a figure.
  public var figure: Figure { Figure(title: title, subtitle: subtitle, panels: [panel]) }

  /// The picture as a plot.
  public var panel: Panel {
    var panel = Panel(
      x: Axis("SNR (dB)", padding: 0.02), y: Axis(errorTitle, scale: .logarithmic), height: 440)
    panel.series = estimators.enumerated().map { index, curve in
      Series(curve.name, x: curve.snrdB, y: curve.error).told(apartBy: index)
    }
    panel.series += bounds.enumerated().map { index, curve in
      Series(curve.name, x: curve.snrdB, y: curve.error, ink: .strong, line: index == 0 ? .dashed : .dotted)
    }
    return panel
  }
}

extension Series {
  /// The series with the colour, dash and marker of its place among others: no two of the first sixteen look the same.
  func told(apartBy index: Int) -> Series {
    var series = self
    series.ink = .series(index)
    series.line = index / 8 % 2 == 0 ? .solid : .dashed
    let markers = Marker.forSeries
    series.marker = markers[(index + index / 8 * 5) % markers.count]
    return series
  }
}
