import Foundation

/// Times of a table's rows, s: numbers as they are, ISO 8601 (`2024-05-17T09:30:00.25Z`, a blank for the T, any offset; none is
/// taken for UTC) since 1970, or times of the day (`09:30:00.25`), which go on over midnight.
///
/// Numbers too large for seconds are milliseconds, microseconds or nanoseconds since 1970, whichever gives a year before 5138.
struct TableClock {
  static let range = -1e11...1e11
  /// What numbers are multiplied by; told by the first where nobody says it.
  private var scale: Double?
  private var lastOfDay: Double?
  private var days = 0.0

  /// - Parameter unit: what numbers are multiplied by, where that is known.
  init(unit: Double? = nil) { scale = unit }

  /// What numbers are taken for, where they are no seconds: `milliseconds`, …
  var assumedUnit: String? {
    switch scale {
    case 1e-3: "milliseconds"
    case 1e-6: "microseconds"
    case 1e-9: "nanoseconds"
    default: nil
    }
  }

  /// `nil` for what is no time.
  mutating func seconds(_ row: CSVTable.Row, _ column: Int) -> Double? {
    if let number = row.number(column) { return seconds(number) }
    return seconds(row.text(column), row.dialect)
  }

  /// `nil` for what is no time.
  mutating func seconds(_ field: String, _ dialect: CSVDialect) -> Double? {
    if let number = dialect.number(field) { return seconds(number) }
    var text = TimeText(field)
    if let time = text.dateAndTime() { return time }
    text = TimeText(field)
    guard let time = text.timeOfDay(), text.isAtEnd else { return nil }
    // Later rows are later: a clock that jumps back by half a day has passed midnight.
    if let lastOfDay, time < lastOfDay - 43_200 { days += 86_400 }
    lastOfDay = time
    return days + time
  }

  mutating func seconds(_ number: Double) -> Double {
    if let scale { return number * scale }
    let magnitude = abs(number)
    let unit = [1, 1e-3, 1e-6, 1e-9].first { magnitude * $0 <= Self.range.upperBound } ?? 1
    scale = unit
    return number * unit
  }
}

/// Reads a date and a time from the start of a text.
private struct TimeText {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.trimmingCharacters(in: .whitespaces).utf8) }

  var isAtEnd: Bool { position == bytes.count }

  /// Seconds since 1970-01-01T00:00:00Z.
  mutating func dateAndTime() -> Double? {
    guard let year = digits(4), let first = separator("-/"), let month = digits(2), separator("-/") == first,
      let day = digits(2), (1...12).contains(month), (1...31).contains(day), separator("Tt _") != nil,
      let time = timeOfDay(shortest: 1), let offset = offset(), isAtEnd
    else { return nil }
    return Double(Self.days(year, month, day)) * 86_400 + time - offset
  }

  /// Seconds since midnight: `hh:mm`, `hh:mm:ss` or with a fraction.
  ///
  /// - Parameter shortest: digits that an hour has at least.
  mutating func timeOfDay(shortest: Int = 2) -> Double? {
    guard let hour = digits(2) ?? digits(shortest), hour < 24, separator(":") != nil, let minute = digits(2),
      minute < 60
    else {
      return nil
    }
    var seconds = Double(hour * 3600 + minute * 60)
    guard separator(":") != nil else { return seconds }
    // A leap second is counted as the second after it.
    guard let whole = digits(2), whole <= 60 else { return nil }
    seconds += Double(whole)
    guard separator(".,") != nil else { return seconds }
    let start = position
    var fraction = 0.0
    var scale = 0.1
    while position < bytes.count, let digit = digit(bytes[position]) {
      fraction += scale * Double(digit)
      scale /= 10
      position += 1
    }
    return position > start ? seconds + fraction : nil
  }

  /// Of the local time to UTC, s: `Z`, `+02:00`, `+0200`, `+02`, or nothing.
  private mutating func offset() -> Double? {
    if isAtEnd || separator("Zz") != nil { return 0 }
    _ = separator(" ")
    guard let sign = separator("+-"), let hours = digits(2), hours < 24 else { return nil }
    _ = separator(":")
    guard let minutes = isAtEnd ? 0 : digits(2), minutes < 60 else { return nil }
    return (sign == UInt8(ascii: "-") ? -60 : 60) * Double(hours * 60 + minutes)
  }

  private mutating func separator(_ choices: StaticString) -> UInt8? {
    guard position < bytes.count, choices.withUTF8Buffer({ $0.contains(bytes[position]) }) else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[position..<position + count] {
      guard let digit = digit(byte) else { return nil }
      value = 10 * value + digit
    }
    position += count
    return value
  }

  private func digit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte) - 48 : nil
  }

  /// Days from 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let leapDays = years / 4 - years / 100 + years / 400
    return 365 * years + leapDays + (153 * months + 2) / 5 + day - 719_469
  }
}
