import ArgumentParser
import Foundation

/// How much a verb tells on standard error.
struct MessageOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Tell errors alone: no progress, notes and warnings.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Also tell what was chosen, and the time and memory that it took.")
  var verbose = false

  /// From here on messages know: what a verb tells begins while its other options are looked at.
  func validate() throws {
    guard !quiet || !verbose else { throw ValidationError("--quiet and --verbose contradict each other.") }
    if quiet { Message.level = .quiet }
    if verbose { Message.level = .verbose }
  }

  /// What the program took until now.
  static func tellCost() {
    var usage = rusage()
    // RUSAGE_SELF, which not every C library has as a number.
    guard getrusage(0, &usage) == 0 else { return }
    let seconds = { (time: timeval) in Double(time.tv_sec) + 1e-6 * Double(time.tv_usec) }
    let processor = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    #if os(Linux)
      let memory = usage.ru_maxrss / 1000
    #else
      let memory = usage.ru_maxrss / 1_000_000
    #endif
    Message.detail("\(String(decimal: processor, places: 2)) s of processor time, \(memory) MB of memory at most")
  }
}
