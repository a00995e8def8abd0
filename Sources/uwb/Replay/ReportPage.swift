import UWBCapture
import UWBDSP
import UWBReport

struct ReportPage {
  let path: String
  func begin(capture: String) {}
  func add(_ event: ReplayEvent) {}
  func end(_ totals: ReplayTotals) {}
  func write() throws {}
}
