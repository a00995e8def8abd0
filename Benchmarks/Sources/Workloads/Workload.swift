/// A piece of work whose cost is measured: by the benchmark library, by the clock of `measure`, and in instructions.
public struct Workload: Sendable {
  /// What the items of a step are.
  public enum Unit: String, Sendable {
    case transform, window, estimate, exchange, update
    case response = "CIR"
  }

  /// A step that is ready to run. It repeats: the same work, or the next of a ring of inputs.
  public struct Prepared {
    /// Bytes of input that one step reads; 0 where input is not bytes.
    public var bytes: Int
    public let run: () throws -> Void

    public init(bytes: Int = 0, _ run: @escaping () throws -> Void) {
      self.bytes = bytes
      self.run = run
    }
  }

  /// `kind/what/under which conditions`
  public let name: String
  /// Items that one step works through.
  public let items: Int
  public let unit: Unit
  public let prepare: @Sendable () throws -> Prepared

  init(
    _ name: String, items: Int = 1, _ unit: Unit, prepare: @escaping @Sendable () throws -> Prepared
  ) {
    self.name = name
    self.items = items
    self.unit = unit
    self.prepare = prepare
  }

  /// All of them, in the order in which data meets the engine.
  public static let all: [Workload] = transforms + delays + arrays + angles + chains + tracking + sessions + readers

  /// The workload of that name.
  public static func named(_ name: String) -> Workload? {
    all.first { $0.name == name }
  }
}

/// Hands out the elements of an array round and round.
final class Ring<Element> {
  private let elements: [Element]
  private var position = 0

  init(_ elements: [Element]) {
    precondition(!elements.isEmpty, "a ring of nothing")
    self.elements = elements
  }

  var count: Int { elements.count }

  func next() -> Element {
    defer { position = position + 1 == elements.count ? 0 : position + 1 }
    return elements[position]
  }
}
