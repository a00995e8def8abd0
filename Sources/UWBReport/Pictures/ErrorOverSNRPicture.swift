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

  /// The picture as a plot. At a single ratio, where curves would be points on one another, a row for each estimator.
  public var panel: Panel {
    let ratios = Set(estimators.flatMap(\.snrdB) + bounds.flatMap(\.snrdB))
    if let only = ratios.first, ratios.count == 1, only.isFinite { return rows(at: only) }
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

  private func rows(at snrdB: Double) -> Panel {
    let count = Double(estimators.count)
    var panel = Panel(
      x: Axis("\(errorTitle) at an SNR of \(NumberText.significant(snrdB)) dB", scale: .logarithmic, padding: 0.04),
      y: Axis("", range: -0.7...(count + 0.3)), height: 22 * count + 30)
    // From the top down, below the bound's label.
    panel.y.names = estimators.reversed().map { TextMetrics.shortened($0.name, to: 240, size: Theme.fontSize) }
    panel.series = estimators.enumerated().map { index, curve in
      Series(
        x: curve.error.map { $0 > 0 ? $0 : .nan }, y: curve.error.map { _ in count - 1 - Double(index) }, line: nil,
        marker: .diamond)
    }
    for (index, bound) in bounds.enumerated() {
      guard let error = bound.error.first(where: { $0 > 0 && $0.isFinite }) else { continue }
      panel.lines.append(
        ReferenceLine(
          .x, at: error, label: "\(bound.name) \(NumberText.significant(error))", ink: .strong,
          line: index == 0 ? .dashed : .dotted, widensRange: true))
    }
    return panel
  }
}

extension Series {
  /// The series with the colour, dash and marker of its place among others: no two of the first sixteen look the same.
  func told(apartBy index: Int) -> Series {
    var series = self
    series.ink = .series(index)
    // Neighbours differ in their dashes, too: hues alone are not told apart by all eyes.
    let lines: [Line] = [.solid, .dashed, .dashDotted, .dotted]
    series.line = lines[(index + index / 8 * 2) % lines.count]
    let markers = Marker.forSeries
    series.marker = markers[(index + index / 8 * 5) % markers.count]
    return series
  }
}
