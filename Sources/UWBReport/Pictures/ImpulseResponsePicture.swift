import Foundation

/// One channel impulse response: its whole magnitude in dB, and its leading edge close up.
///
/// Values are plain numbers in one linear unit of the caller's choice, counts for instance; the picture shows decibels
/// relative to the strongest tap of all antennas. Everything but the magnitudes may be absent.
public struct ImpulseResponsePicture: Sendable, Hashable {
  /// A place on the tap axis that somebody calls the first path.
  public struct Mark: Sendable, Hashable {
    /// Taps from the accumulator's start.
    public var taps: Double
    /// taps, standard deviation
    public var deviationTaps: Double?

    /// Creates one with the given values.
    public init(taps: Double, deviationTaps: Double? = nil) {
      self.taps = taps
      self.deviationTaps = deviationTaps
    }
  }

  /// A curve over fractional taps for the close-up, in the unit of the magnitudes.
  public struct Curve: Sendable, Hashable {
    /// Places, taps.
    public var taps: [Double]
    /// Magnitudes at these places.
    public var magnitudes: [Double]

    /// Creates one with the given values.
    public init(taps: [Double], magnitudes: [Double]) {
      self.taps = taps
      self.magnitudes = magnitudes
    }
  }

  /// Antennas × taps, linear.
  public var magnitudes: [[Double]]
  /// Index of the first tap given, for a window cut from an accumulator.
  public var firstTap: Int
  /// s; 1/(2 · 499.2 MHz) ≈ 1.0016 ns on DW1000 and DW3000
  public var tapPeriod: Double
  /// Name of the capture; `nil` for none.
  public var capture: String?
  /// Counts the exchanges of the capture from 0.
  public var exchange: Int?
  /// "poll", "response" or "final"
  public var message: String?
  /// Of the first path, dB.
  public var snrdB: Double?
  /// Root of the noise variance of a tap as it is drawn.
  public var noiseFloor: Double?
  /// The same once the radio's additive pattern is removed, where that is done before paths are looked for.
  public var cleanedNoiseFloor: Double?
  /// What a tap's magnitude must exceed to count as a path.
  public var threshold: Double?
  /// First path of the chip.
  public var chipFirstPath: Mark?
  /// First path of the engine.
  public var firstPath: Mark?
  /// Paths after the first, taps.
  public var laterPathsTaps: [Double]
  /// The pulse that was fitted to the first path.
  public var fittedPulse: Curve?
  /// The CIR between the taps.
  public var interpolated: Curve?
  /// What is left after the fit.
  public var residual: Curve?

  /// Creates one with the given values.
  public init(
    magnitudes: [[Double]], firstTap: Int = 0, tapPeriod: Double = 1 / 998.4e6, capture: String? = nil,
    exchange: Int? = nil, message: String? = nil, snrdB: Double? = nil, noiseFloor: Double? = nil,
    cleanedNoiseFloor: Double? = nil, threshold: Double? = nil, chipFirstPath: Mark? = nil, firstPath: Mark? = nil,
    laterPathsTaps: [Double] = [],
    fittedPulse: Curve? = nil, interpolated: Curve? = nil, residual: Curve? = nil
  ) {
    self.magnitudes = magnitudes
    self.firstTap = firstTap
    self.tapPeriod = tapPeriod
    self.capture = capture
    self.exchange = exchange
    self.message = message
    self.snrdB = snrdB
    self.noiseFloor = noiseFloor
    self.cleanedNoiseFloor = cleanedNoiseFloor
    self.threshold = threshold
    self.chipFirstPath = chipFirstPath
    self.firstPath = firstPath
    self.laterPathsTaps = laterPathsTaps
    self.fittedPulse = fittedPulse
    self.interpolated = interpolated
    self.residual = residual
  }

  /// A whole SVG file.
  public func svg() -> String { figure.svg() }

  /// The picture as a figure.
  public var figure: Figure {
    Figure(title: heading, subtitle: firstPathText, panels: panels)
  }

  /// The whole response and its leading edge, as plots.
  public var panels: [Panel] { [wholePanel, edgePanel] }

  private var heading: String {
    var parts = [capture ?? "Channel impulse response"]
    if let exchange { parts.append("exchange \(exchange)") }
    if let message { parts.append(message) }
    if let snrdB { parts.append("SNR \(NumberText.fixed(snrdB, decimals: 1)) dB") }
    return parts.joined(separator: " · ")
  }

  /// Where both first paths are, in words.
  public var firstPathText: String? {
    var parts: [String] = []
    if let mark = firstPath {
      let deviation = mark.deviationTaps.map { " ± \(NumberText.significant($0, digits: 2))" } ?? ""
      parts.append("first path \(NumberText.fixed(mark.taps, decimals: 2))\(deviation) taps")
    }
    if let mark = chipFirstPath {
      parts.append("chip \(NumberText.fixed(mark.taps, decimals: 2)) taps")
    }
    if let ours = firstPath?.taps, let chips = chipFirstPath?.taps {
      let (taps, metres) = (ours - chips, (ours - chips) * tapPeriod * 299_702_547)
      parts.append(
        "\(NumberText.fixed(abs(taps), decimals: 2)) taps (\(NumberText.fixed(abs(metres), decimals: 2)) m) "
          + (taps < 0 ? "before the chip's" : "after the chip's"))
    }
    return parts.isEmpty ? nil : parts.joined(separator: " · ")
  }

  private var peak: Double {
    magnitudes.joined().lazy.filter { $0.isFinite }.max() ?? 0
  }

  private var indices: [Double] {
    (0..<(magnitudes.map(\.count).max() ?? 0)).map { Double($0) + Double(firstTap) }
  }

  private var marks: [ReferenceLine] {
    var lines = laterPathsTaps.map { ReferenceLine(.x, at: $0, ink: .series(1), line: .dotted) }
    if let mark = chipFirstPath {
      lines.append(
        ReferenceLine(
          .x, at: mark.taps, label: "chip's first path", ink: .series(3), line: .dashed, deviation: mark.deviationTaps))
    }
    if let mark = firstPath {
      let label = mark.deviationTaps == nil ? "first path" : "first path ± σ"
      lines.append(ReferenceLine(.x, at: mark.taps, label: label, ink: .series(1), deviation: mark.deviationTaps))
    }
    return lines
  }

  /// Horizontal lines. Two noise floors within 1 dB of each other are one.
  private var levels: [(level: Double, name: String, ink: Ink)] {
    var cleaned = cleanedNoiseFloor
    if let level = cleaned, let noiseFloor, abs(20 * log10(level / noiseFloor)) < 1 { cleaned = nil }
    let all = [
      (threshold, "threshold", Ink.series(6)), (noiseFloor, "noise floor", .neutral),
      (cleaned, "less the radio's pattern", .neutral),
    ]
    return all.compactMap { level, name, ink in
      level.flatMap { $0.isFinite ? (level: $0, name: name, ink: ink) : nil }
    }
  }

  private func antennaName(_ index: Int) -> String? {
    magnitudes.count > 1 ? "antenna \(index + 1)" : nil
  }

  private func antennaInk(_ index: Int) -> Ink {
    // The marks keep their colours to themselves.
    let inks = [0, 2, 5, 4, 7, 6]
    return .series(inks[index % inks.count])
  }

  private var wholePanel: Panel {
    let peak = self.peak
    let decibels = { (value: Double) in 20 * log10(value / peak) }
    var panel = Panel(
      title: "Whole response", x: Axis("delay (taps)", padding: 0),
      y: Axis("magnitude (dB re peak)", scale: .decibel, padding: 0.02),
      topAxis: DerivedAxis("delay (ns)", factor: tapPeriod * 1e9), height: 260)
    guard peak > 0 else {
      panel.y.range = -60...0
      panel.note = magnitudes.isEmpty ? "no samples" : "every sample is zero or not finite"
      panel.series = [Series(x: indices, y: indices.map { _ in .nan })]
      return panel
    }
    // Deep notches between noise taps tell nothing; the axis ends a little under the noise.
    let finite = magnitudes.joined().filter { $0.isFinite && $0 > 0 }.sorted()
    let quiet =
      (cleanedNoiseFloor ?? noiseFloor).flatMap { $0 > 0 && $0.isFinite ? $0 / 4 : nil } ?? finite[finite.count / 20]
    let floor = max(decibels(quiet), -120)
    panel.y.includes = [0, floor]
    for (index, row) in magnitudes.enumerated() {
      panel.series.append(
        Series(
          antennaName(index), x: indices, y: row.map { $0.isFinite ? max(decibels($0), floor) : .nan },
          ink: antennaInk(index), line: .thin))
    }
    for (level, name, ink) in levels where level > 0 {
      let label = "\(name) \(NumberText.fixed(decibels(level), decimals: 1)) dB"
      panel.lines.append(ReferenceLine(.y, at: decibels(level), label: label, ink: ink, widensRange: true))
    }
    panel.lines += marks
    return panel
  }

  private var edgePanel: Panel {
    let window = closeUp
    let origin = firstPath?.taps ?? chipFirstPath?.taps
    let base = origin.flatMap { $0.isFinite ? $0 : nil } ?? 0
    var panel = Panel(
      title: "Leading edge", x: Axis("delay (taps)", range: window),
      y: Axis("magnitude", includes: [0], padding: 0.04),
      topAxis: DerivedAxis(
        firstPath != nil ? "ns after first path" : origin != nil ? "ns after chip's first path" : "delay (ns)",
        offset: -base * tapPeriod * 1e9, factor: tapPeriod * 1e9), height: 280)
    for (curve, name, ink, line) in [
      (interpolated, "band-limited interpolation", Ink.series(0), Series.Line.thin),
      (fittedPulse, "fitted pulse", .series(1), .dashed), (residual, "residual", .neutral, .dotted),
    ] {
      guard let curve else { continue }
      panel.series.append(Series(name, x: curve.taps, y: curve.magnitudes, ink: ink, line: line))
    }
    for (index, row) in magnitudes.enumerated() {
      let name = antennaName(index) ?? "taps"
      let hasCurve = interpolated != nil && index == 0
      panel.series.append(
        Series(name, x: indices, y: row, ink: antennaInk(index), line: hasCurve ? nil : .thin, marker: .dot))
    }
    for (level, name, ink) in levels {
      panel.lines.append(ReferenceLine(.y, at: level, label: name, ink: ink, widensRange: true))
    }
    panel.lines += marks
    return panel
  }

  /// Taps of the close-up: from a little before the first of the marks to a little after the last; without marks, round the
  /// strongest tap.
  public var closeUp: ClosedRange<Double> {
    let last = Double(firstTap) + Double(max(indices.count, 2) - 1)
    let limits = Double(firstTap)...last
    let marked = [chipFirstPath?.taps, firstPath?.taps].compactMap { $0 }.filter(limits.contains)
    var (start, end) = (marked.min(), marked.max())
    if start == nil {
      let peak = self.peak
      let row = magnitudes.first { $0.contains(peak) }
      let strongest = row?.firstIndex(of: peak).map { Double($0) + Double(firstTap) }
      (start, end) = (strongest, strongest)
    }
    guard let start, let end, end - start < 200 else { return limits }
    return max((start - 8).rounded(), limits.lowerBound)...min((end + 14).rounded(), limits.upperBound)
  }
}
