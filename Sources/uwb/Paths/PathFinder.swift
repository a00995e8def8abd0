import UWBCapture
import UWBDSP

/// What came of exchanges: in text, and in numbers.
struct FoundPaths: Sendable {
  var text: [UInt8] = []
  var totals = PathTotals()
  /// Of a finder that keeps them.
  var rows: [PathRow] = []
}

/// Counts of `uwb paths`.
struct PathTotals: Sendable {
  var exchanges = 0
  var impulseResponses = 0
  /// Rows with a first path.
  private var found = 0
  /// Rows by other statuses.
  private var others: [DelayStatus: Int] = [:]

  mutating func count(_ status: DelayStatus) {
    if status == .ok { found += 1 } else { others[status, default: 0] += 1 }
  }

  mutating func add(_ other: PathTotals) {
    exchanges += other.exchanges
    impulseResponses += other.impulseResponses
    found += other.found
    others.merge(other.others, uniquingKeysWith: +)
  }

  /// By status, the good ones first.
  var text: String {
    let rest = others.map { "\($0.key.rawValue) \($0.value)" }.sorted()
    return "\(impulseResponses) CIRs of \(exchanges) exchanges, " + (["ok \(found)"] + rest).joined(separator: ", ")
  }
}

/// Finds the first paths in all CIRs of exchanges, on one thread, and writes a row for each antenna.
final class PathFinder {
  private let engine: RangingEngine
  private let workspace: RangingEngine.Workspace
  private let capture: String
  private let fields: [PathRow.Field]
  private let listsPaths: Bool
  private let keepsRows: Bool
  /// `nil` for people.
  private var lines: FigureLines?
  private var paths = ReceptionPaths()
  private var peer: (address: DeviceAddress, text: String)?
  private var textCount = 0

  init(
    _ engine: RangingEngine, capture: String, kind: FigureLines.Kind?, listsPaths: Bool, keepsRows: Bool = false
  ) {
    self.engine = engine
    workspace = engine.makeWorkspace()
    self.capture = capture
    fields = PathRow.fields(listsPaths: listsPaths)
    self.listsPaths = listsPaths
    self.keepsRows = keepsRows
    lines = kind.map(FigureLines.init)
  }

  /// Initiator's or responder's: whoever received a frame and kept its CIR.
  func find(in exchange: RangingExchange) -> FoundPaths {
    var found = FoundPaths()
    found.text.reserveCapacity(textCount)
    found.totals.exchanges = 1
    for (name, message) in exchange.namedMessages {
      find(in: message.reception, name.rawValue, of: exchange, into: &found)
    }
    textCount = found.text.count
    return found
  }

  private func find(
    in reception: Reception?, _ message: String, of exchange: RangingExchange, into found: inout FoundPaths
  ) {
    guard let reception else { return }
    find(in: reception, message, "preamble", of: exchange, into: &found)
    if !reception.stsImpulseResponses.isEmpty { findSegments(in: reception, message, of: exchange, into: &found) }
  }

  private func findSegments(
    in reception: Reception, _ message: String, of exchange: RangingExchange, into found: inout FoundPaths
  ) {
    var reception = reception
    // What the chip says of the first path is said of the preamble.
    reception.chipFirstPathTaps = nil
    reception.antennaFirstPathTaps = nil
    reception.antennaPhases = nil
    for (index, response) in reception.stsImpulseResponses.enumerated() {
      reception.impulseResponse = response
      find(in: reception, message, "sts\(index + 1)", of: exchange, into: &found)
    }
  }

  private func find(
    in reception: Reception, _ message: String, _ segment: String, of exchange: RangingExchange,
    into found: inout FoundPaths
  ) {
    guard engine.findPaths(in: reception, into: &paths, using: workspace) else { return }
    found.totals.impulseResponses += 1
    if peer?.address != exchange.peer { peer = (exchange.peer, "\(exchange.peer)") }
    for antenna in paths.antennas.indices {
      var row = PathRow(paths, antenna: antenna, of: reception, by: engine)
      row.capture = capture
      (row.exchange, row.time) = (exchange.index, exchange.time)
      row.peer = peer?.text ?? ""
      (row.message, row.segment) = (message, segment)
      found.totals.count(row.status)
      write(row, to: &found.text)
      guard keepsRows else { continue }
      row.response = reception.impulseResponse
      found.rows.append(row)
    }
  }

  private func write(_ row: PathRow, to text: inout [UInt8]) {
    guard lines != nil else {
      for line in row.tableLines(listsPaths: listsPaths) { text.append(contentsOf: "\(line)\n".utf8) }
      return
    }
    lines?.append(fields, to: &text) { ($0.name, $0.cell(row)) }
  }
}
