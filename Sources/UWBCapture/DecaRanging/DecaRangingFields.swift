import UWBTypes

/// The lines that hold many fields: `RX OK NAME(value), …` and `Anchor ToF: … NAME: value unit …`.
extension DecaRangingLine {
  static func quality(_ line: Span<UInt8>, from start: Int) -> Quality {
    var quality = Quality()

    // The number inside `name…)`. The chip's software prints what is not finite as `-001.#INF`, which is no damage.
    func number(_ name: StaticString, in range: ClosedRange<Double>) -> Double? {
      guard let position = ByteText.end(of: name, in: line, from: start),
        let number = ByteText.decimal(line, at: position), range.contains(number.value)
      else {
        quality.isDamaged = true
        return nil
      }
      if ByteText.matches(")", in: line, at: number.end) { return number.value }
      if !ByteText.matches("#", in: line, at: number.end) { quality.isDamaged = true }
      return nil
    }

    quality.firstPathTaps = number(" HLP(", in: CaptureLimits.taps)
    quality.preambleCount = number(" PSC(", in: 0...65_535).flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    quality.receivedPowerdBm = number(" RSL(", in: CaptureLimits.power)
    quality.firstPathPowerdBm = number(" FSL(", in: CaptureLimits.power)
    if let position = ByteText.end(of: " NTH(", in: line, from: start),
      let threshold = ByteText.hexadecimal(line, at: position, count: 4),
      ByteText.matches(")", in: line, at: position + 4)
    {
      quality.noiseThreshold = Int(threshold)
    } else {
      quality.isDamaged = true
    }
    if let position = ByteText.end(of: " RC(", in: line, from: start),
      let high = ByteText.hexadecimal(line, at: position, count: 4),
      let low = ByteText.hexadecimal(line, at: position + 5, count: 8)
    {
      quality.time = DeviceTime(ticks: high << 32 | low)
    }
    return quality
  }

  static func report(_ line: Span<UInt8>, from start: Int) -> DecaRangingLine? {
    var isWhole = true

    func number(_ name: StaticString, unit: StaticString, in range: ClosedRange<Double>) -> Double? {
      guard let position = ByteText.end(of: name, in: line, from: start),
        let number = ByteText.decimal(line, at: ByteText.skippingBlanks(line, from: position)),
        range.contains(number.value)
      else {
        isWhole = false
        return nil
      }
      if ByteText.matches(unit, in: line, at: number.end) { return number.value }
      if !ByteText.matches("#", in: line, at: number.end) { isWhole = false }
      return nil
    }

    let report = ChipReport(
      distance: number(" Dist:", unit: " m", in: CaptureLimits.distance),
      rawDistance: number(" DistRaw:", unit: " m", in: CaptureLimits.distance),
      clockOffsetppm: number(" ClockOffset:", unit: " ppm", in: CaptureLimits.partsPerMillion))
    return isWhole ? .report(report) : nil
  }
}
