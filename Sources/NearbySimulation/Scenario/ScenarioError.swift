/// Why a scenario can't be played.
public struct ScenarioError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where in the scenario, e.g. `devices.anna.motion`.
  public var place: String
  /// What is wrong.
  public var problem: String
  /// What to do about it.
  public var remedy: String

  /// Creates one with the given values.
  public init(place: String, problem: String, remedy: String) {
    self.place = place
    self.problem = problem
    self.remedy = remedy
  }

  public var description: String { "\(place): \(problem). \(remedy)" }
}

/// Any key at all, to find those that nobody reads.
struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}

extension Decoder {
  /// A container of keys, once it is certain that there are no others: a misspelt key must not pass in silence.
  func strict<Key: CodingKey & CaseIterable>(_ keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let known = Set(Key.allCases.map(\.stringValue))
    if let unknown = try container(keyedBy: AnyKey.self).allKeys.first(where: { !known.contains($0.stringValue) }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath + [unknown],
          debugDescription: "is no key here; known ones are \(known.sorted().joined(separator: ", "))"))
    }
    return try container(keyedBy: keys)
  }
}

extension KeyedDecodingContainer {
  func value<Value: Decodable>(_ key: Key) throws -> Value { try decode(Value.self, forKey: key) }

  /// Takes the key's value where there is one.
  func read<Value: Decodable>(_ key: Key, into value: inout Value) throws {
    if let found = try decodeIfPresent(Value.self, forKey: key) { value = found }
  }
}
