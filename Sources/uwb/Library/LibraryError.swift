import ArgumentParser
import UWBCapture

/// What a caller of the C interface is told.
package enum LibraryError: Error {
  /// The call makes no sense.
  case badArgument(String)
  /// A file can't be read, or doesn't fit.
  case badInput(String)
  /// The caller asked to stop.
  case interrupted

  /// Options that say where the command line's output goes, and when: in a library they would be ignored.
  static func refuse(_ foreign: [String], in options: [String]) throws {
    let names = options.map { String($0.prefix { $0 != "=" }) }
    if let option = names.first(where: foreign.contains) {
      throw LibraryError.badArgument("\(option) is an option of the program alone.")
    }
  }

  /// What `error` is to a caller: in the command line's words.
  package init(_ error: any Error, of options: any ParsableArguments.Type = EngineOptions.self) {
    switch error {
    case let error as LibraryError: self = error
    case let error as CaptureError: self = .badInput("\(error)")
    case let error as OutputError: self = .badInput("\(error)")
    default: self = .badArgument(Usage.explained(options.message(for: error), []))
    }
  }
}
