import UWBPlatform

/// Names the case that was running where the process traps: on standard error, before it ends as it would have.
public enum TrapReport {
  private static let capacity = 1024
  // One case runs at a time; a signal handler may touch memory that is there already, nothing else.
  nonisolated(unsafe) private static let text: UnsafeMutablePointer<UInt8> = {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    memory.initialize(repeating: 0, count: capacity)
    return memory
  }()
  nonisolated(unsafe) private static var length = 0
  private static let isInstalled: Bool = {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
      signal(number) { number in
        TrapReport.write()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    return true
  }()

  /// What is running; empty for nothing.
  public static var name: String {
    get { String(decoding: UnsafeBufferPointer(start: text, count: max(0, length - 1)), as: UTF8.self) }
    set {
      guard isInstalled else { return }
      length = 0
      var count = 0
      for byte in newValue.utf8.prefix(capacity - 1) {
        text[count] = byte
        count += 1
      }
      text[count] = 0x0A
      length = count == 0 ? 0 : count + 1
    }
  }

  private static func write() {
    _ = UWBPlatform.write(2, text, length)
  }
}
