import ArgumentParser
import Foundation
import Synchronization
import UWBCapture

/// What Ctrl-C, SIGTERM and SIGHUP (the terminal is gone) do.
///
/// Where a verb reads its input to the end, the first signal ends that input: all is finished as if it had ended by itself. The
/// second one ends the program at once, as the first does elsewhere. Temporary files go either way.
enum Interruption {
  static let status: Int32 = 130

  private static let isFinishing = Atomic(false)
  private static let isSeen = Atomic(false)
  /// What the handler, which may do next to nothing itself, tells a thread.
  private static let signals = makePipe()
  /// Can be read from once the input is to end.
  private static let end = makePipe()

  /// Listens from now on. To be called once, before anything is opened.
  static func listen() {
    _ = signals
    let listener = Thread { wait() }
    listener.start()
    for number in [SIGINT, SIGTERM] { signal(number) { _ in Interruption.tell() } }
    if !isHangUpIgnored {
      signal(SIGHUP) { _ in
        // The system and a shell each tell of the same terminal: the second time is no second wish.
        signal(SIGHUP, SIG_IGN)
        Interruption.tell()
      }
    }
    atexit { TemporaryFiles.removeAll() }
  }

  /// Whether the input is to end here.
  static var isRequested: Bool { isSeen.load(ordering: .acquiring) }

  /// Can be read from once the input is to end.
  static var endDescriptor: Int32 { end.read }

  /// Runs `body`, which finishes what it has once a stream ends or, between a file's exchanges, `isRequested`.
  ///
  /// - Throws: the exit status, where the input was ended early.
  static func finishing(_ body: () throws -> Void) throws {
    isFinishing.store(true, ordering: .releasing)
    do {
      try body()
    } catch  where isRequested {
      // A status is what is thrown below, too.
      if !(error is ExitCode) { Message.write("Error: \(error)") }
    }
    guard isRequested else { return }
    Message.write("Interrupted: the input ended here.")
    throw ExitCode(status)
  }

  /// Waits so long, or until the input is to end.
  static func sleep(seconds: Double) {
    var waiting = pollfd(fd: end.read, events: Int16(POLLIN), revents: 0)
    _ = poll(&waiting, 1, Int32(min(max(0, seconds), 1e6) * 1000))
  }

  /// `nohup` starts programs so, that they outlive their terminal.
  private static var isHangUpIgnored: Bool {
    let previous = signal(SIGHUP, SIG_IGN)
    signal(SIGHUP, previous)
    return unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func tell() {
    var byte: UInt8 = 0
    _ = write(signals.write, &byte, 1)
  }

  private static func wait() {
    var byte: UInt8 = 0
    while true {
      let count = read(signals.read, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return }
      guard isFinishing.load(ordering: .acquiring), !isRequested else {
        StatusLine.abandon()
        TemporaryFiles.end(status: status)
      }
      isSeen.store(true, ordering: .releasing)
      _ = write(end.write, &byte, 1)
    }
  }

  private static func makePipe() -> (read: Int32, write: Int32) {
    var descriptors: [Int32] = [-1, -1]
    _ = pipe(&descriptors)
    for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return (descriptors[0], descriptors[1])
  }
}
