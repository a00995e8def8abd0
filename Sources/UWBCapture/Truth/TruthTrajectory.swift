import UWBTypes

/// Where radios stand, or where they sit on what moves: m, by address.
public struct PlaceList: Sendable, Hashable {
  /// In the order in which they were given.
  public private(set) var addresses: [DeviceAddress] = []
  private var places: [DeviceAddress: SIMD3<Double>] = [:]

  /// An empty list.
  public init() {}

  /// A table with the columns x, y and z and, where radios are not numbered from 0, one of their names.
  ///
  /// - Throws: `CaptureError` for columns that are missing, a field that makes no sense, or a radio that is there twice.
  public init(_ source: ByteSource) throws {
    let rows = try TableRows(source)
    let remedy = "Give a table with the columns id, x, y and z, or places as \"ID:X,Y,Z;ID:X,Y,Z\"."
    let places = rows.found.columns(TableQuantity.place)
    guard !places.isEmpty else {
      throw CaptureError(
        file: source.name, place: "header", problem: "the columns x, y and z are missing", remedy: remedy)
    }
    let name: TableQuantity = rows.found[.peer] == nil ? .local : .peer
    while try rows.next() {
      let address: DeviceAddress?
      do { address = try rows.address(name) } catch {
        throw CaptureError(
          file: source.name, place: rows.complaint(error), problem: "it names no radio", remedy: remedy)
      }
      guard let place = rows.triple(places, in: CaptureLimits.distance) else {
        throw CaptureError(
          file: source.name, place: "line \(rows.row.line)", problem: "x, y and z are no place", remedy: remedy)
      }
      try add(address ?? DeviceAddress(rawValue: UInt64(addresses.count)), place, source.name, remedy)
    }
  }

  /// `12:0.69,0.87,0.5;3:2.58,0.87,1.97`, or places alone, numbered from 0.
  ///
  /// - Throws: `CaptureError` for what is not of that form.
  public init(inline text: String, option: String) throws {
    let remedy = "Give a table's file, or places in m as \"ID:X,Y,Z;ID:X,Y,Z\"."
    for part in text.split(separator: ";") {
      let sides = part.split(separator: ":").map(String.init)
      let numbers = (sides.last ?? "").split(separator: ",").compactMap { CSVDialect().number(String($0)) }
      let address =
        sides.count == 2 ? TableRows.address(sides[0]) : DeviceAddress(rawValue: UInt64(addresses.count))
      guard (1...2).contains(sides.count), numbers.count == 3, let address,
        numbers.allSatisfy(CaptureLimits.distance.contains)
      else { throw CaptureError(file: option, place: String(part), problem: "this is not a place", remedy: remedy) }
      try add(address, SIMD3(numbers[0], numbers[1], numbers[2]), option, remedy)
    }
  }

  private mutating func add(_ address: DeviceAddress, _ place: SIMD3<Double>, _ file: String, _ remedy: String) throws {
    guard places.updateValue(place, forKey: address) == nil else {
      throw CaptureError(file: file, place: "\(address)", problem: "this radio is there twice", remedy: remedy)
    }
    addresses.append(address)
  }

  /// Place of a device, m; nil where the list does not have it.
  public subscript(_ address: DeviceAddress?) -> SIMD3<Double>? { address.flatMap { places[$0] } }

  /// The place, where there is one alone.
  var only: SIMD3<Double>? { addresses.count == 1 ? self[addresses.first] : nil }
}

/// What is true of a capture's distances where something that carries tags moves among anchors: its trajectory, the anchors' places, and the
/// tags' places on it.
///
///     distance(t) = |p(t + τ) + R(t + τ)·tag − anchor|
///
/// τ takes the capture's clock to the trajectory's (`ClockAlignment`).
public struct TruthTrajectory: Sendable {
  /// Whom an exchange was with: where the anchor stands, where the tag sits.
  struct Ends: Sendable, Hashable {
    var anchor: SIMD3<Double>
    var tag: SIMD3<Double>
  }

  /// Poses of the moving device over time.
  public internal(set) var poses: PoseTable
  /// Places of the fixed devices, m.
  public let anchors: PlaceList
  /// Places of the tags on what moves, m; empty for one tag where the trajectory is.
  public let tags: PlaceList
  /// s, on the trajectory's own clock since its first row, at time 0 of the capture.
  public var shift = 0.0

  /// - Parameters:
  ///   - anchors: empty where the capture's rows hold them.
  ///   - tags: empty for one where the trajectory is.
  public init(_ poses: PoseTable, anchors: PlaceList, tags: PlaceList) {
    self.poses = poses
    self.anchors = anchors
    self.tags = tags
  }

  /// m; `nil` where the trajectory doesn't tell, or a place is not known.
  public func distance(of exchange: RangingExchange) -> Double? {
    ends(of: exchange).flatMap { distance($0, at: exchange.time + shift) }
  }

  func ends(of exchange: RangingExchange) -> Ends? {
    let byPeer = exchange.peerPosition ?? anchors[exchange.peer]
    let isTagPeer = byPeer == nil && anchors[exchange.local] != nil
    guard let anchor = byPeer ?? anchors[exchange.local] ?? anchors.only else { return nil }
    let named = isTagPeer ? tags[exchange.peer] : tags[exchange.local]
    guard let tag = named ?? tags.only ?? (tags.addresses.isEmpty ? .zero : nil) else { return nil }
    return Ends(anchor: anchor, tag: tag)
  }

  /// - Parameter time: s since the trajectory's first row
  func distance(_ ends: Ends, at time: Double) -> Double? {
    guard let pose = poses.pose(at: time) else { return nil }
    let tag = pose.position + pose.right * ends.tag.x + pose.up * ends.tag.y + pose.front * ends.tag.z
    let line = tag - ends.anchor
    return line.length
  }
}
