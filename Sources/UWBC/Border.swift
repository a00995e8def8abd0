import CUWBC
import UWBPlatform
import uwb

/// What goes through the border between Swift and C: no error, no trap, no memory without an owner.
enum Border {
  typealias Message = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  typealias Texts = UnsafePointer<UnsafePointer<CChar>?>

  /// More arguments than any command line has.
  private static let maximumTextCount = 1 << 20

  /// Runs `body`; what it throws becomes a status and a message.
  static func run(_ message: Message?, _ body: () throws -> Void) -> uwb_status {
    message?.pointee = nil
    do {
      try body()
      return status(UWB_OK)
    } catch {
      switch LibraryError(error) {
      case .badArgument(let text): return fail(UWB_BAD_ARGUMENT, text, message)
      case .badInput(let text): return fail(UWB_BAD_INPUT, text, message)
      case .interrupted: return status(UWB_INTERRUPTED)
      }
    }
  }

  private static func fail(_ code: Int, _ text: String, _ message: Message?) -> uwb_status {
    message?.pointee = copy(text)
    return status(code)
  }

  static func status(_ code: Int) -> uwb_status { uwb_status(truncatingIfNeeded: code) }

  /// For `uwb_free`.
  static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? { strdup(text) }

  static func needed<Value>(_ value: Value?, _ name: StaticString) throws -> Value {
    guard let value else { throw LibraryError.badArgument("\(name) is NULL.") }
    return value
  }

  static func texts(_ texts: Texts?, _ count: Int) throws -> [String] {
    guard count != 0 else { return [] }
    guard (0...maximumTextCount).contains(count) else { throw LibraryError.badArgument("\(count) texts are too many.") }
    let texts = try needed(texts, "An array of texts")
    return try (0..<count).map { String(cString: try needed(texts[$0], "A text")) }
  }

  // MARK: Handles

  /// Hands what `make` returns to the caller; where it returns nil or throws, the handle is NULL.
  ///
  /// - Parameter name: the handle's, for the message.
  static func create(
    _ handle: UnsafeMutablePointer<OpaquePointer?>?, _ name: StaticString, _ message: Message?,
    _ make: () throws -> AnyObject?
  ) -> uwb_status {
    run(message) {
      let handle = try needed(handle, name)
      handle.pointee = nil
      handle.pointee = try make().map { OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
    }
  }

  /// The object of a handle that is still the caller's.
  static func object<Object: AnyObject>(_ handle: OpaquePointer, as type: Object.Type = Object.self) -> Object {
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  static func object<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type = Object.self) throws -> Object {
    object(try needed(handle, "A handle"))
  }

  /// Ends a handle.
  static func destroy<Object: AnyObject>(_ handle: OpaquePointer?, as type: Object.Type) {
    guard let handle else { return }
    Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}

/// A text that stays where it is as long as this lives.
final class KeptText: Sendable {
  // The memory is written once, in `init`.
  nonisolated(unsafe) let pointer: UnsafeMutablePointer<CChar>?

  init(_ text: String) { pointer = strdup(text) }
  deinit { free(pointer) }
}
