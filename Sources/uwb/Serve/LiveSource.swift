import Foundation
import NearbyPorts
import UWBLive

/// What `uwb serve` shows, by its argument.
enum LiveSource {
  case replay(String)
  case radio(PortAddress)
  case room(String)

  /// - Throws: `PortError` for an address that is none.
  init(_ argument: String) throws {
    if ScenarioFile.isNamed(by: argument) {
      self = .room(argument)
    } else if argument.hasPrefix("unix:") || argument.hasPrefix("tcp:") || Self.isDevice(argument) {
      self = .radio(try PortAddress(argument))
    } else {
      self = .replay(argument)
    }
  }

  /// A serial device is a radio; text that one sends comes through a pipe.
  private static func isDevice(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR && path != "/dev/null"
  }
}

/// A stream on its way to a page.
protocol LiveStream {
  /// What the page shows at its beginning.
  var state: LiveState { get }
  /// Fills `feed` until the stream ends, or `Interruption.isRequested`.
  mutating func run(into feed: LiveFeed) throws
}
