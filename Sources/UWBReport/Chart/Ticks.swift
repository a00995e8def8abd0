import Foundation

/// A place on an axis with its label; minor ticks have none.
struct Tick: Hashable {
  var value: Double
  var label: String?
}

/// Round numbers along an axis.
enum Ticks {
  /// Steps of 1, 2 or 5 times a power of ten: the smallest with at most `count` intervals.
  static func linear(_ range: ClosedRange<Double>, count: Int) -> [Tick] {
    let span = range.upperBound - range.lowerBound
    guard span > 0, span.isFinite, count > 0 else { return [] }
    let raw = span / Double(count)
    var exponent = Int(log10(raw).rounded(.down))
    let mantissa = [1.0, 2, 5].first { $0 * pow(10, Double(exponent)) >= raw * (1 - 1e-9) }
    if mantissa == nil { exponent += 1 }
    return multiples(of: mantissa ?? 1, exponent: exponent, in: range)
  }

  /// Steps of 1, 3, 6, 10, 20, 50 dB and their tenths and hundreds: a factor of two is 3 dB in power, 6 in amplitude.
  static func decibel(_ range: ClosedRange<Double>, count: Int) -> [Tick] {
    let raw = (range.upperBound - range.lowerBound) / Double(max(count, 1))
    guard raw > 0.5, raw <= 100 else { return linear(range, count: count) }
    let step = [1.0, 3, 6, 10, 20, 50, 100].first { $0 >= raw * (1 - 1e-9) } ?? 100
    return multiples(of: step, exponent: 0, in: range)
  }

  /// Powers of ten with labels; on short axes 2 and 5 times them too, on less than a decade every whole multiple.
  static func logarithmic(_ range: ClosedRange<Double>, count: Int) -> [Tick] {
    let (start, end) = (log10(range.lowerBound), log10(range.upperBound))
    guard start.isFinite, end.isFinite, start < end else { return [] }
    let decades = end - start
    // Less than half a decade: round steps read better than multiples of a power.
    if decades < 0.5 { return linear(range, count: count) }
    let stride = max(Int((decades / Double(max(count, 1))).rounded(.up)), 1)
    let isDense = decades * 3 <= Double(count) || decades < 1.5
    let powers = Int(start.rounded(.down))...Int(end.rounded(.up))
    var ticks: [Tick] = []
    for exponent in powers {
      for multiple in 1...9 where stride == 1 || multiple == 1 {
        let value = scaled(Double(multiple), exponent)
        guard value >= range.lowerBound * (1 - 1e-9), value <= range.upperBound * (1 + 1e-9) else { continue }
        let isLabelled =
          exponent.isMultiple(of: stride) && (multiple == 1 || decades < 1 || isDense && [2, 5].contains(multiple))
        let plain = (-4...5).contains(exponent) ? NumberText.significant(value) : NumberText.powerOfTen(exponent)
        let label = multiple > 1 && !(-4...5).contains(exponent) ? "\(multiple)×" + plain : plain
        ticks.append(Tick(value: value, label: isLabelled ? label : nil))
      }
    }
    return ticks
  }

  private static func multiples(of mantissa: Double, exponent: Int, in range: ClosedRange<Double>) -> [Tick] {
    let step = scaled(mantissa, exponent)
    let (first, last) = ((range.lowerBound / step - 1e-6).rounded(.up), (range.upperBound / step + 1e-6).rounded(.down))
    guard first.isFinite, last.isFinite, last >= first, last - first < 1000 else { return [] }
    let largest = max(abs(range.lowerBound), abs(range.upperBound))
    let isPlain = exponent >= -6 && largest < 1e7
    return (0...Int(last - first)).map { index in
      let value = scaled((first + Double(index)) * mantissa, exponent)
      let label =
        isPlain ? NumberText.fixed(value, decimals: max(-exponent, 0)) : NumberText.significant(value, digits: 6)
      return Tick(value: value, label: label)
    }
  }

  /// Divides by a power of ten where the exponent is negative: 3/10 is the double nearest to 0.3, 3 · 0.1 is not.
  private static func scaled(_ value: Double, _ exponent: Int) -> Double {
    exponent < 0 ? value / pow(10, Double(-exponent)) : value * pow(10, Double(exponent))
  }
}

func commonLogarithm(_ value: Double) -> Double { log10(value) }
func powerOfTen(_ exponent: Double) -> Double { pow(10, exponent) }
