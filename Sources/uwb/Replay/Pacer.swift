import ArgumentParser
import Foundation

/// `--pace`: at the pace of the clock that ran then, or as quickly as possible.
enum Pace: String, ExpressibleByArgument, CaseIterable {
  case recorded, fast
}

/// Holds a replay back to the capture's own clock.
struct Pacer {
  let isOn: Bool
  private var start: (wall: Double, capture: Double)?

  init(isOn: Bool) {
    self.isOn = isOn
  }

  mutating func wait(until time: Double) {
    guard isOn else { return }
    let now = ProcessInfo.processInfo.systemUptime
    let origin = start ?? (now, time)
    start = origin
    let due = origin.wall + time - origin.capture
    if due > now { Interruption.sleep(seconds: due - now) }
  }
}
