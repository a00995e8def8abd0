/// The picture at the top of a page: peers seen from above where directions are known, else bars on one axis. `picture.js` draws it.
public struct PagePicture: Sendable, Encodable {
  /// Where a peer is, and where it was.
  public struct Peer: Sendable, Encodable {
    /// As it is listed.
    public var name: String
    /// Last distance, m.
    public var distance: Double?
    /// Its standard deviation, m.
    public var distanceDeviation: Double?
    /// Last azimuth, degrees.
    public var azimuth: Double?
    /// Its standard deviation, degrees.
    public var azimuthDeviation: Double?
    /// Smallest distance of all, m.
    public var low: Double?
    /// Largest distance of all, m.
    public var high: Double?
    /// True distance at the end, m.
    public var trueDistance: Double?
    /// True azimuth at the end, degrees.
    public var trueAzimuth: Double?
    /// Distances, m, and azimuths, degrees, up to the last.
    public var trail: [[Double?]] = []

    /// Nothing known yet.
    public init(name: String) { self.name = name }

    enum CodingKeys: String, CodingKey {
      case name, distance, distanceDeviation, azimuth, azimuthDeviation, trueDistance, trueAzimuth, trail
    }

    /// Writes what is not known as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      for (key, value) in [
        (CodingKeys.distance, distance), (.distanceDeviation, distanceDeviation), (.azimuth, azimuth),
        (.azimuthDeviation, azimuthDeviation), (.trueDistance, trueDistance), (.trueAzimuth, trueAzimuth),
      ] { try container.encode(rounded(value), forKey: key) }
      try container.encode(trail.map { $0.map(rounded) }, forKey: .trail)
    }
  }

  /// A value on the picture's axis, with what belongs to it.
  public struct Bar: Sendable, Encodable {
    /// As it is listed.
    public var name: String
    /// Drawn as a dot.
    public var value: Double?
    /// Standard deviation of the value.
    public var deviation: Double?
    /// Begin of the wide bar; `nil` for none.
    public var low: Double?
    /// End of the wide bar.
    public var high: Double?
    /// Drawn as an upright line: a truth, a limit, a bound.
    public var mark: Double?
    /// `nil` for one by the place in the list.
    public var color: PageChart.Color?

    /// Creates one with the given values.
    public init(
      _ name: String, value: Double?, deviation: Double? = nil, extent: ClosedRange<Double>? = nil,
      mark: Double? = nil, color: PageChart.Color? = nil
    ) {
      self.name = name
      self.value = value
      self.deviation = deviation
      low = extent?.lowerBound
      high = extent?.upperBound
      self.mark = mark
      self.color = color
    }

    enum CodingKeys: String, CodingKey { case name, value, deviation, low, high, mark, color }

    /// Writes what is not known as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      for (key, number) in [
        (CodingKeys.value, value), (.deviation, deviation), (.low, low), (.high, high), (.mark, mark),
      ] { try container.encode(significant(number), forKey: key) }
      try container.encode(color, forKey: .color)
    }
  }

  enum Kind: String, Sendable, Encodable { case polar, bars }

  /// For screen readers.
  var label: String
  let kind: Kind
  /// In the order of their colors.
  private(set) var peers: [Peer] = []
  private(set) var bars: [Bar] = []
  private(set) var unit = ""
  private(set) var log = false
  /// Under the picture.
  private(set) var caption: String
  static let peerLimit = 24
  static let barLimit = 60

  private enum CodingKeys: String, CodingKey { case label, kind, peers, bars, unit, log }

  /// Of peers: seen from above where a direction is known, else on a ruler. `nil` where none has a distance or a direction.
  public init?(peers: [Peer]) {
    let directed = peers.filter { $0.azimuth?.isFinite == true }
    guard directed.isEmpty else {
      self.init(directed: Array(directed.prefix(Self.peerLimit)))
      return
    }
    let bars = peers.prefix(Self.peerLimit).compactMap { peer -> Bar? in
      guard let low = peer.low, let high = peer.high, low <= high else { return nil }
      return Bar(
        peer.name, value: peer.distance, deviation: peer.distanceDeviation, extent: low...high, mark: peer.trueDistance)
    }
    self.init(
      "Distances of the peers.", unit: "m", bars: bars,
      caption:
        "Dot and bar: the last distance, and where it is with 95 %. Wide bar: all distances. Upright line: the truth.")
  }

  private init(directed peers: [Peer]) {
    kind = .polar
    self.peers = peers
    label = "Peers seen from above." + peers.map { " \($0.text)." }.joined()
    caption =
      "Seen from above, straight ahead is up. A filled shape holds 95 % of where a peer may be at the end; small dots: the way there; "
      + "a cross: the truth."
  }

  /// Bars below each other on one axis; `nil` where none has a value.
  ///
  /// - Parameters:
  ///   - label: what is shown, for screen readers.
  ///   - caption: what dot, bar and line are.
  public init?(_ label: String, unit: String, bars: [Bar], caption: String, isLogarithmic: Bool = false) {
    let shown = bars.filter { bar in bar.value.map { $0.isFinite && (!isLogarithmic || $0 > 0) } ?? false }
    guard !shown.isEmpty else { return nil }
    kind = .bars
    self.bars = Array(shown.prefix(Self.barLimit))
    self.unit = unit
    log = isLogarithmic
    self.caption = caption
    if shown.count > Self.barLimit {
      self.caption += " The first \(Self.barLimit) of \(shown.count) are drawn; the table has all."
    }
    self.label = label + self.bars.map { " \($0.text) \(unit)." }.joined()
  }

  /// - Parameter number: its place among the page's pictures.
  func html(_ number: Int) -> String {
    "<figure><div class=\"picture\" data-picture=\"\(number)\"></div><figcaption>\(Markup.escape(caption))</figcaption></figure>\n"
  }

  var list: [String] { peers.count > 1 ? peers.map(\.text) : [] }
}

extension PagePicture.Peer {
  /// In words.
  var text: String {
    var text = name
    if let distance {
      text += ": \(NumberText.fixed(distance, decimals: 2)) m"
      if let distanceDeviation { text += " ± \(NumberText.fixed(1.96 * distanceDeviation, decimals: 2)) m" }
    }
    if let azimuth {
      text += "\(distance == nil ? ":" : ",") \(NumberText.fixed(azimuth, decimals: 1))°"
      if let azimuthDeviation { text += " ± \(NumberText.fixed(1.96 * azimuthDeviation, decimals: 1))°" }
    }
    return text
  }
}

extension PagePicture.Bar {
  /// In words.
  fileprivate var text: String {
    var text = "\(name): \(NumberText.significant(value ?? .nan))"
    if let deviation { text += " ± \(NumberText.significant(1.96 * deviation))" }
    return text
  }
}

/// To a tenth of a millimetre or of a thousandth degree; what is not a usable number is not known.
private func rounded(_ value: Double?) -> Double? {
  value.flatMap { $0.isFinite && abs($0) < 1e9 ? ($0 * 1e4).rounded() / 1e4 : nil }
}

/// To five figures; what is not a usable number is not known.
private func significant(_ value: Double?) -> Double? {
  guard let value, value.isFinite, abs(value) < 1e15 else { return nil }
  guard abs(value) > 1e-12 else { return 0 }
  let scale = powerOfTen(4 - commonLogarithm(abs(value)).rounded(.down))
  return (value * scale).rounded() / scale
}
