import Numerics
import UWBDSP

/// Random CIRs that no radio would give, and those that radios give at the ends of what can be.
public struct HostileImpulseResponse: Sendable {
  public enum Family: Int, CaseIterable, Sendable {
    case onePath, pathBeforeStart, pathBehindEnd, manyPaths, dense, noise, tones, steps, ramps, clipped, constant,
      alternating, sparse, notFinite, magnitudes, zeroRuns
  }

  public var family: Family
  public var antennaCount: Int
  public var tapCount: Int
  public var isInteger: Bool
  public var tapSpacing: Double

  public init(family: Family, antennaCount: Int, tapCount: Int, isInteger: Bool, tapSpacing: Double = UWB.tap) {
    self.family = family
    self.antennaCount = antennaCount
    self.tapCount = tapCount
    self.isInteger = isInteger
    self.tapSpacing = tapSpacing
  }

  public func make(using random: inout StatisticsRandom) -> ChannelImpulseResponse {
    let noise = random.uniform() < 0.2 ? 0 : Double.pow(10, random.uniform(-6...2))
    var rows: [[Complex<Double>]] = []
    let start = random
    for antenna in 0..<antennaCount {
      // Antennas see the same but for noise and turns, as in the field, or each what it pleases.
      if antenna > 0, antennaCount % 2 == 0 { random = start }
      var row = signal(using: &random)
      let turn = Complex<Double>(length: 1, phase: 0.7 * Double(antenna))
      for tap in row.indices { row[tap] = row[tap] * turn + random.complexGaussian(variance: noise) }
      rows.append(row)
    }
    return store(rows, using: &random)
  }

  private func signal(using random: inout StatisticsRandom) -> [Complex<Double>] {
    let count = Double(tapCount)
    let amplitude = Double.pow(10, random.uniform(-1...3))
    let place = random.uniform() * count
    let other = random.uniform() * count
    let period = Double.exp(random.uniform(0...6))
    func paths(_ places: [Double]) -> [Complex<Double>] {
      var row = [Complex<Double>](repeating: .zero, count: tapCount)
      for place in places {
        let own = Complex<Double>(length: amplitude * random.uniform(0.01...1), phase: random.uniform(0...6.3))
        let first = max(0, Int(place) - 12)
        for tap in first..<max(first, min(tapCount, Int(place) + 13)) {
          row[tap] += own * Complex(PulseShape.standard((Double(tap) - place) * UWB.tap))
        }
      }
      return row
    }
    func each(_ value: (Int) -> Double) -> [Complex<Double>] {
      (0..<tapCount).map { Complex(amplitude * value($0), amplitude * value($0 / 2) / 3) }
    }
    switch family {
    case .onePath: return paths([place])
    case .pathBeforeStart: return paths([random.uniform(-6...6)])
    case .pathBehindEnd: return paths([count - 1 + random.uniform(-6...6)])
    case .manyPaths: return paths((0..<Int(period)).map { _ in random.uniform() * count })
    case .dense:
      return (0..<tapCount).map {
        let power = Double($0) < place ? 0 : amplitude * amplitude * Double.exp((place - Double($0)) / period)
        return random.complexGaussian(variance: power)
      }
    case .noise: return (0..<tapCount).map { _ in random.complexGaussian(variance: amplitude) }
    case .tones: return each { Double.cos(Double($0) / period) + Double.cos(Double($0) * other) }
    case .steps: return each { Double($0) < place ? 0 : Double($0) < other ? 1 : 0.5 }
    case .ramps: return each { Double($0) / count + (Double($0) < place ? 0 : -1) }
    case .clipped:
      return paths([place, other]).map { Complex(min(max($0.real, -1), 1), min(max($0.imaginary, -1), 1)) }
    case .constant: return each { _ in 1 }
    case .alternating: return each { $0 % max(1, Int(period) % 7) == 0 ? 1 : -1 }
    case .sparse: return each { _ in random.uniform() * count < 3 ? 1 : 0 }
    case .notFinite, .magnitudes: return paths([place, other])
    case .zeroRuns:
      let run = max(1, Int(period))
      return paths([place, other]).enumerated().map { $0.offset / run % 2 == 0 ? .zero : $0.element }
    }
  }

  private func store(_ rows: [[Complex<Double>]], using random: inout StatisticsRandom) -> ChannelImpulseResponse {
    var scale: Float = 1
    if family == .magnitudes {
      scale = Float(Double.pow(10, random.uniform(-38...38)))
    } else if family == .notFinite, isInteger {
      scale = [.nan, .infinity, 0, -1, .leastNonzeroMagnitude, .greatestFiniteMagnitude][Int(random.uniform() * 6)]
    }
    if isInteger {
      let step = Double.pow(10, random.uniform(-3...1))
      let values = rows.flatMap { $0 }.flatMap { [$0.real / step, $0.imaginary / step] }
      return stored(values.map { Int16(min(max($0, -32768), 32767)) }, .int16, scale * (scale == 1 ? Float(step) : 1))
    }
    var values = rows.flatMap { $0 }.flatMap { [Float($0.real), Float($0.imaginary)] }
    if family == .notFinite {
      let bad: [Float] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .signalingNaN,
      ]
      for _ in 0..<(1 + Int(random.uniform() * 3)) {
        values[Int(random.uniform() * Double(values.count))] = bad[Int(random.uniform() * 6)]
      }
    }
    return stored(values, .float32, scale)
  }

  private func stored<Value>(
    _ values: [Value], _ format: ChannelImpulseResponse.SampleFormat, _ scale: Float
  ) -> ChannelImpulseResponse {
    let storage = TapStorage(byteCount: values.count * MemoryLayout<Value>.size)
    storage.withMutableBytes { bytes in values.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    return ChannelImpulseResponse(
      storage: storage, format: format, antennaCount: antennaCount, tapCount: tapCount, scale: scale,
      tapSpacing: tapSpacing)
  }
}
