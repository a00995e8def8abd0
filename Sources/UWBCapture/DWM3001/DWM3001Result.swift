import UWBTypes

/// One peer's result of a round.
struct DWM3001Result {
  private var peer: DeviceAddress
  private var isSuccess: Bool
  /// m; the chip's own may be below zero.
  private var distance: Double?
  private var azimuth: RadioMeasurement.Angle?
  private var elevation: RadioMeasurement.Angle?
  /// rad
  private var phaseDifferences: [Double] = []

  /// `0x0001, status="SUCCESS", distance[cm]=210, …]`; `nil` where it has no end, no address or no status, or a number is none.
  init?(text: Span<UInt8>) {
    guard ByteText.matches("0x", in: text, at: 0), let comma = ByteText.start(of: ",", in: text), comma <= 18,
      let address = ByteText.hexadecimal(text, at: 2, count: comma - 2),
      let close = Self.close(text), ByteText.matches(", status=\"", in: text, at: comma)
    else { return nil }
    peer = DeviceAddress(rawValue: address)
    isSuccess = ByteText.matches("SUCCESS\"", in: text, at: comma + 10)
    var isDamaged = false
    func value(_ name: StaticString) -> Double? {
      guard let place = ByteText.end(of: name, in: text) else { return nil }
      if let number = ByteText.decimal(text, at: place),
        number.end == close || ByteText.matches(",", in: text, at: number.end)
      {
        return number.value
      }
      isDamaged = true
      return nil
    }
    distance = value(" distance[cm]=").map { $0 / 100 }
    for name in [" loc_az_pdoa=", " loc_el_pdoa="] as [StaticString] {
      if let phase = value(name) { phaseDifferences.append(phase * .pi / 180) }
    }
    azimuth = Self.angle(value(" loc_az="), merit: 100)
    elevation = Self.angle(value(" loc_el="), merit: 100)
    guard !isDamaged, isInRange else { return nil }
  }

  /// Where the bracket stands that ends the result; units have brackets of their own.
  private static func close(_ text: Span<UInt8>) -> Int? {
    var depth = 1
    for index in 0..<text.count {
      if text[index] == UInt8(ascii: "[") { depth += 1 }
      if text[index] == UInt8(ascii: "]") { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  /// `{"Addr":"0x0000","Status":"Ok","D_cm":61,"LPDoA_deg":0.00,"LAoA_deg":0.00,"LFoM":0,…}`
  private init?(_ cursor: inout JSONCursor) {
    var (address, status): (String?, String?)
    var (centimetres, phase, angle, merit): (Double?, Double?, Double?, Double?)
    let isWhole = cursor.object { key, cursor in
      if key.matches("Addr") { return cursor.read(&address) { $0.string() } }
      if key.matches("Status") { return cursor.read(&status) { $0.string() } }
      if key.matches("D_cm") { return cursor.read(&centimetres) { $0.number() } }
      if key.matches("LPDoA_deg") { return cursor.read(&phase) { $0.number() } }
      if key.matches("LAoA_deg") { return cursor.read(&angle) { $0.number() } }
      if key.matches("LFoM") { return cursor.read(&merit) { $0.number(in: 0...100) } }
      return cursor.skipValue()
    }
    guard isWhole, let address, address.hasPrefix("0x"), let number = UInt64(address.dropFirst(2), radix: 16),
      let status
    else { return nil }
    peer = DeviceAddress(rawValue: number)
    isSuccess = status.lowercased() == "ok"
    distance = centimetres.map { $0 / 100 }
    let hasAngle = (merit ?? 0) > 0
    if hasAngle, let phase { phaseDifferences = [phase * .pi / 180] }
    azimuth = Self.angle(angle, merit: merit ?? 0)
    guard isInRange else { return nil }
  }

  /// Reads an array of results, or the object that holds one; those in front of any damage are kept.
  static func read(_ cursor: inout JSONCursor, into results: inout [DWM3001Result]) -> Bool {
    func list(_ cursor: inout JSONCursor) -> Bool {
      cursor.array { cursor in
        guard results.count < 64, let result = DWM3001Result(&cursor) else { return false }
        results.append(result)
        return true
      }
    }
    guard cursor.isObject() else { return list(&cursor) }
    return cursor.object { key, cursor in key.matches("results") ? list(&cursor) : cursor.skipValue() }
  }

  /// The exchange; `nil` where the round failed, or gave neither a distance nor an angle.
  func exchange(index: Int) -> RangingExchange? {
    guard isSuccess, distance != nil || azimuth != nil || elevation != nil else { return nil }
    var exchange = RangingExchange(
      index: index, time: 0, peer: peer, poll: RangingMessage(),
      chipReport: ChipReport(
        distance: distance, rawDistance: distance, azimuth: azimuth?.value, elevation: elevation?.value),
      phaseDifferences: phaseDifferences.isEmpty ? nil : phaseDifferences)
    exchange.ready = RadioMeasurement(distance: distance, azimuth: azimuth, elevation: elevation)
    return exchange
  }

  private var isInRange: Bool {
    (distance.map(CaptureLimits.distance.contains) ?? true) && phaseDifferences.allSatisfy(CaptureLimits.angle.contains)
      && [azimuth, elevation].allSatisfy { $0.map { abs($0.value) <= .pi } ?? true }
  }

  /// The deviation grows as the figure of merit, 0 … 100, falls; with 0 there is no angle.
  private static func angle(_ degrees: Double?, merit: Double) -> RadioMeasurement.Angle? {
    guard let degrees, merit > 0 else { return nil }
    return RadioMeasurement.Angle(
      degrees * .pi / 180, deviation: .pi / 36 * 100 / merit, figureOfMerit: merit / 100)
  }
}
