import Foundation
import UWBTypes

/// Which columns of a table hold what: by header names that are usual, or as the user says.
public struct TableColumns: Sendable, Hashable {
  /// What a column holds.
  public typealias Quantity = TableQuantity

  /// Header names that the user gave, whatever their case.
  public var names: [Quantity: String] = [:]
  /// Units that the user gave.
  private var units: [Quantity: TableUnit] = [:]

  /// No column named: headers are recognised by themselves.
  public init() {}

  /// - Parameters:
  ///   - columns: `azimuth=Real Azimuth,phase1=PDoA1,…`
  ///   - unit: `distance=mm,time=ms`, or a unit alone: of the distance, of the time, or of all angles.
  /// - Throws: `CaptureError` for what is not of that form.
  public init(_ columns: String, unit: String? = nil) throws {
    for (quantity, header) in try Self.pairs(columns, option: "--columns") { names[quantity] = header }
    guard let unit else { return }
    if let alone = TableUnit.named(unit.trimmingCharacters(in: .whitespaces)) {
      for quantity in Self.quantities(of: alone) { units[quantity] = alone }
      return
    }
    for (quantity, symbol) in try Self.pairs(unit, option: "--unit") {
      guard let known = TableUnit.named(symbol), known.factor(as: quantity.definition.dimension) != nil else {
        throw CaptureError(
          file: "--unit", place: "\(quantity.name)=\(symbol)", problem: "this is not a unit of \(quantity.meaning)",
          remedy: "Units are: \(TableUnit.symbols.joined(separator: ", ")).")
      }
      units[quantity] = known
    }
  }

  func unit(of quantity: Quantity) -> TableUnit? { units[quantity] }

  private static func quantities(of unit: TableUnit) -> [Quantity] {
    switch unit.dimension {
    case .length: [.distance, .deviation, .trueDistance, .x, .y, .z]
    case .time: [.time]
    case .angle: Quantity.allCases.filter { $0.definition.dimension == .angle }
    default: []
    }
  }

  private static func pairs(_ text: String, option: String) throws -> [(Quantity, String)] {
    try text.split(separator: ",").map { part in
      let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard sides.count == 2, let quantity = Quantity(name: sides[0]) else {
        throw CaptureError(
          file: option, place: String(part), problem: "this names no column",
          remedy: "Give NAME=\(option == "--unit" ? "UNIT" : "HEADER") pairs between commas; names are: "
            + "\(Quantity.allCases.map(\.name).joined(separator: ", ")).")
      }
      return (quantity, sides[1])
    }
  }

  /// One column that was found: where, and what its numbers are multiplied by to be SI.
  struct Column: Hashable, Sendable {
    var index: Int
    var factor: Double
    /// Whether its name, or the user, says the unit.
    var hasUnit: Bool
  }

  /// Where each quantity is.
  struct Found: Hashable, Sendable {
    private var columns = [Column?](repeating: nil, count: Quantity.allCases.count)

    subscript(_ quantity: Quantity) -> Column? {
      get { columns[quantity.rawValue] }
      set { columns[quantity.rawValue] = newValue }
    }

    func has(_ quantities: [Quantity]) -> Bool { quantities.allSatisfy { self[$0] != nil } }
    /// Where they are; empty where one of them is missing.
    func columns(_ quantities: [Quantity]) -> [Column] {
      has(quantities) ? quantities.compactMap { self[$0] } : []
    }
    var all: [(quantity: Quantity, column: Column)] {
      Quantity.allCases.compactMap { quantity in self[quantity].map { (quantity, $0) } }
    }
  }

  struct MissingColumn: Error, Hashable {
    var name: String
  }

  /// Finds the columns in `header`.
  ///
  /// - Throws: the name that the user gave and that the header lacks.
  func resolve(_ header: [String]) throws(MissingColumn) -> Found {
    var found = Found()
    let parsed = header.map(Self.parse)
    var byName: [String: [Int]] = [:]
    for (index, column) in parsed.enumerated() { byName[column.name, default: []].append(index) }
    for quantity in Quantity.allCases {
      let dimension = quantity.definition.dimension
      func column(_ index: Int) -> Column? {
        let unit = units[quantity] ?? parsed[index].unit
        guard let unit else {
          return Column(index: index, factor: dimension == .angle ? .pi / 180 : 1, hasUnit: false)
        }
        return unit.factor(as: dimension).map { Column(index: index, factor: $0, hasUnit: true) }
      }
      if let name = names[quantity] {
        guard let index = header.firstIndex(where: { $0.caseInsensitiveCompare(name) == .orderedSame }) else {
          throw MissingColumn(name: name)
        }
        found[quantity] = column(index)
      } else {
        let indices = quantity.definition.usualNames.lazy.flatMap { byName[$0] ?? [] }
        found[quantity] = indices.compactMap { column($0) }.first
      }
    }
    Self.addNumberedStamps(to: &found, byName)
    return found
  }

  /// T5 … T8, as papers number them: with T7 the responder has sent twice.
  private static func addNumberedStamps(to found: inout Found, _ byName: [String: [Int]]) {
    let isFour = byName["t7"] != nil && byName["t8"] != nil
    let numbered: [(Int, Quantity)] =
      isFour
      ? [(5, .secondPollSent), (6, .secondPollReceived), (7, .finalSent), (8, .finalReceived)]
      : [(5, .finalSent), (6, .finalReceived)]
    for (number, quantity) in numbered where found[quantity] == nil {
      guard let index = byName["t\(number)"]?.first, let first = found[.pollSent] else { continue }
      found[quantity] = Column(index: index, factor: first.factor, hasUnit: first.hasUnit)
    }
  }

  /// A header's name in lower case without anything but letters and digits, and the unit at its end, if any. Tools put a `field.` (ROS) or a `%`
  /// before names.
  static func parse(_ header: String) -> (name: String, unit: TableUnit?) {
    var words = header.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
    if words.count > 1, words.first == "field" { words.removeFirst() }
    if words.count > 1, let last = words.last, let unit = TableUnit.named(last) {
      return (words.dropLast().joined(), unit)
    }
    return (words.joined(), nil)
  }
}
