import Foundation
import UWBPlatform

/// What is known of the terminals behind standard output and standard error.
enum Terminal {
  /// Narrower ones, and nonsense in `COLUMNS`, are taken for this many columns.
  private static let leastWidth = 20

  /// Columns of standard output; `nil` where it is no terminal: what is written there is not cut or folded.
  static let outputWidth = width(of: STDOUT_FILENO)
  /// Columns of standard error; `nil` where it is no terminal.
  static let errorWidth = width(of: STDERR_FILENO)

  /// Whether what is written to standard output appears among the messages: both are one terminal.
  static let isShared: Bool = {
    guard outputWidth != nil, errorWidth != nil else { return false }
    var (output, errors) = (stat(), stat())
    guard fstat(STDOUT_FILENO, &output) == 0, fstat(STDERR_FILENO, &errors) == 0 else { return false }
    return output.st_rdev == errors.st_rdev
  }()

  /// Whether messages may be coloured: https://no-color.org.
  static let hasColor = isColored(errorWidth != nil, ProcessInfo.processInfo.environment)

  static func isColored(_ isTerminal: Bool, _ environment: [String: String]) -> Bool {
    isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// `COLUMNS`, where it is exported, goes before what the terminal says.
  static func width(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    if let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
      return max(columns, leastWidth)
    }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return max(Int(size.ws_col), leastWidth)
  }

  /// Rows of standard output.
  static var outputHeight: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }
}

/// Colours of a terminal's text.
enum TextColor: String {
  case red = "31"
  case green = "32"
  case yellow = "33"
  case dim = "2"

  func applied(to text: some StringProtocol) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
}
