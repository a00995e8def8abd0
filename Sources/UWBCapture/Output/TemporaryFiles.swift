import Foundation
import UWBTypes

/// The temporary files of this process, for whoever ends it early.
public enum TemporaryFiles {
  private static let paths = StateLock<Set<String>>([])
  /// Held while files that belong together take their places.
  private static let publishing = StateLock(())

  /// Creates a file that is not there yet; its descriptor, or −1 with `errno`.
  static func create(_ path: String) -> Int32 {
    paths.withLock { paths in
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { paths.insert(path) }
      return descriptor
    }
  }

  static func remove(_ path: String) {
    paths.withLock { paths in
      unlink(path)
      paths.remove(path)
    }
  }

  static func forget(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// No file is removed by `end` before `body` is done.
  static func keepingAll<Result>(_ body: () throws -> Result) rethrows -> Result {
    try publishing.withLock { _ in try body() }
  }

  /// Removes what is left of them.
  public static func removeAll() {
    paths.withLock { paths in
      for path in paths { unlink(path) }
      paths = []
    }
  }

  /// Removes all of them and ends the process, between which no new one comes up.
  public static func end(status: Int32) -> Never {
    publishing.withLock { _ in
      paths.withLock { paths in
        for path in paths { unlink(path) }
        _exit(status)
      }
    }
  }
}
