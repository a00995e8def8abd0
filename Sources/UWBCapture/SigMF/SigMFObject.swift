/// An object of a recording's metadata, field by field; in its text they stand in the order of their names.
///
/// Written by hand: a general JSON encoder takes most of the time that writing a recording takes.
final class SigMFObject: ExchangeFieldWriter {
  private var fields: [(name: String, value: String)] = []

  /// Adds a field by its whole name, with its value as JSON has it.
  func add(_ name: String, json value: String) { fields.append((name, value)) }

  var json: String {
    let members = fields.sorted { $0.name < $1.name }.map { "\"" + $0.name + "\":" + $0.value }
    return "{" + members.joined(separator: ",") + "}"
  }

  // MARK: ExchangeFieldWriter

  private func add(_ name: StaticString, _ value: String) { add("uwb:" + name.description, json: value) }

  func number(_ name: StaticString, _ value: Double?) {
    if let value = value?.finite { add(name, value.jsonText) }
  }

  func number(_ name: StaticString, _ value: Int?) {
    if let value { add(name, value.description) }
  }

  /// Words and addresses: nothing that JSON would have to escape.
  func string(_ name: StaticString, _ value: String) { add(name, "\"" + value + "\"") }

  func bool(_ name: StaticString, _ value: Bool) { add(name, value.description) }

  // A list that lost an element would speak of other antennas.
  func numbers(_ name: StaticString, _ values: [Double]?) {
    guard let values, values.allSatisfy(\.isFinite) else { return }
    add(name, "[" + values.map(\.jsonText).joined(separator: ",") + "]")
  }

  func object(_ name: StaticString, _ fields: (SigMFObject) -> Void) {
    let object = SigMFObject()
    fields(object)
    add(name, object.json)
  }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// The shortest decimals that read back as the same number, which is finite.
  var jsonText: String {
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
