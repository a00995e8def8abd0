/// The picture at the top of a page: peers seen from above where directions are known, else along a ruler. `picture.js` draws it.
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
      case name, distance, distanceDeviation, azimuth, azimuthDeviation, low, high, trueDistance, trueAzimuth, trail
    }

    /// Writes what is not known as null.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      func rounded(_ value: Double?) -> Double? {
        value.flatMap { ($0 * 1e4).isFinite ? ($0 * 1e4).rounded() / 1e4 : nil }
      }
      try container.encode(name, forKey: .name)
      for (key, value) in [
        (CodingKeys.distance, distance), (.distanceDeviation, distanceDeviation), (.azimuth, azimuth),
        (.azimuthDeviation, azimuthDeviation), (.low, low), (.high, high), (.trueDistance, trueDistance),
        (.trueAzimuth, trueAzimuth),
      ] { try container.encode(rounded(value), forKey: key) }
      try container.encode(trail.map { $0.map(rounded) }, forKey: .trail)
    }
  }

  enum Kind: String, Sendable, Encodable { case polar, ruler }

  /// For screen readers.
  var label: String
  let kind: Kind
  /// In the order of their colors.
  let peers: [Peer]
  static let peerLimit = 24

  /// `nil` where no peer has a distance or a direction.
  public init?(peers: [Peer]) {
    let directed = peers.filter { $0.azimuth?.isFinite == true }
    let kind: Kind = directed.isEmpty ? .ruler : .polar
    let shown =
      (kind == .polar ? directed : peers.filter { $0.distance?.isFinite == true && $0.low != nil && $0.high != nil })
    guard !shown.isEmpty else { return nil }
    self.kind = kind
    self.peers = Array(shown.prefix(Self.peerLimit))
    label = kind == .polar ? "Peers seen from above." : "Distances of the peers."
    label += self.peers.map { " \($0.text)." }.joined()
  }

  /// Under the picture.
  var caption: String {
    kind == .polar
      ? "Seen from above, straight ahead is up. A filled shape holds 95 % of where a peer may be at the end; small dots: the way there; "
        + "a cross: the truth."
      : "Dot and bar: the last distance, and where it is with 95 %. Wide bar: all distances. Upright line: the truth."
  }

  var list: [String] { peers.count > 1 && kind == .polar ? peers.map(\.text) : [] }
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
