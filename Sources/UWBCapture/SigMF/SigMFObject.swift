/// An object of a recording's metadata, field by field.
final class SigMFObject: Encodable, ExchangeFieldWriter {
  // Encoders are quick with these, and slow with a value of any type.
  enum Value {
    case number(Double)
    case scale(Float)
    case integer(Int)
    case text(String)
    case flag(Bool)
    case numbers([Double])
    case object(SigMFObject)
    case objects([SigMFObject])
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private var fields: [(key: Key, value: Value)] = []

  /// Adds a field by its whole name; `nil` leaves it out.
  func add(_ name: String, _ value: Value?) {
    if let value { fields.append((Key(stringValue: name), value)) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (key, value) in fields {
      switch value {
      case .number(let value): try container.encode(value, forKey: key)
      case .scale(let value): try container.encode(value, forKey: key)
      case .integer(let value): try container.encode(value, forKey: key)
      case .text(let value): try container.encode(value, forKey: key)
      case .flag(let value): try container.encode(value, forKey: key)
      case .numbers(let values): try container.encode(values, forKey: key)
      case .object(let object): try container.encode(object, forKey: key)
      case .objects(let objects): try container.encode(objects, forKey: key)
      }
    }
  }

  // MARK: ExchangeFieldWriter

  private func add(_ name: StaticString, _ value: Value?) { add("uwb:" + name.description, value) }

  func number(_ name: StaticString, _ value: Double?) { add(name, value?.finite.map(Value.number)) }
  func number(_ name: StaticString, _ value: Int?) { add(name, value.map(Value.integer)) }
  func string(_ name: StaticString, _ value: String) { add(name, .text(value)) }
  func bool(_ name: StaticString, _ value: Bool) { add(name, .flag(value)) }

  // A list that lost an element would speak of other antennas.
  func numbers(_ name: StaticString, _ values: [Double]?) {
    add(name, values.flatMap { $0.allSatisfy(\.isFinite) ? .numbers($0) : nil })
  }

  func object(_ name: StaticString, _ fields: (SigMFObject) -> Void) {
    let object = SigMFObject()
    fields(object)
    add(name, .object(object))
  }
}
