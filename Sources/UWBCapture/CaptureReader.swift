import UWBTypes

/// What a capture says of itself, beside its exchanges.
public struct CaptureHeader: Sendable {
  /// Name of the format that was read, as `--format` takes it.
  public var format: String
  /// Name of the device profile that fits (`DeviceProfile.named`).
  public var profile: String
  /// The receiver's antennas, where they are known and more than one.
  public var array: AntennaLayout?
  /// Free text: who recorded it, with what.
  public var notes: [String]
  /// Whether the CIRs are complex. Those that hold magnitudes alone (imaginary parts of 0) give delays, no direction.
  public var hasPhase: Bool
  /// What the capture's own clock says at time 0, s: since 1970, since midnight, or since anything; `nil` where it has none.
  public var clockStart: Double?

  /// Creates one with the given values.
  public init(
    format: String, profile: String, array: AntennaLayout? = nil, notes: [String] = [], hasPhase: Bool = true
  ) {
    self.format = format
    self.profile = profile
    self.array = array
    self.notes = notes
    self.hasPhase = hasPhase
  }
}

/// What a reader passed over, counted by reason, with the place of the first of each reason.
public struct SkippedInput: Sendable, Hashable {
  /// Reason → how often, in the order of `reasons.keys.sorted()` wherever it is printed.
  public private(set) var counts: [String: Int] = [:]
  /// Reason → where it came up first, and why, where the reader can tell: `line 2, column “Time”: “x” is no number`.
  public private(set) var firstPlaces: [String: String] = [:]
  /// The reason that came up first.
  public private(set) var firstReason: String?
  /// Reasons that `locate` has not yet been told the place of.
  private var unplaced: [String] = []

  /// Nothing skipped yet.
  public init() {}

  /// Whether nothing was skipped.
  public var isEmpty: Bool { counts.isEmpty }

  /// Counts one more (or `count` more) for `reason`; the first one's `place` is kept.
  public mutating func add(_ reason: String, count: Int = 1, at place: @autoclosure () -> String? = nil) {
    if counts[reason] == nil {
      if firstReason == nil { firstReason = reason }
      if let place = place() { firstPlaces[reason] = place } else { unplaced.append(reason) }
    }
    let sum = counts[reason, default: 0].saturatingAdding(count)
    counts[reason] = sum
  }

  /// Counts the lines that `lines` passed over since the last call because they were too long.
  mutating func addTooLong(of lines: inout LineScanner) {
    guard let (count, line) = lines.takeTooLong() else { return }
    add("lineTooLong", count: count, at: "line \(line)")
  }

  /// Gives its place to each reason that came up since the last call and has none.
  mutating func locate(_ place: @autoclosure () -> String) {
    guard !unplaced.isEmpty else { return }
    let place = place()
    for reason in unplaced { firstPlaces[reason] = place }
    unplaced = []
  }

  /// Adds all of `other`.
  public mutating func merge(_ other: SkippedInput) {
    firstReason = firstReason ?? other.firstReason
    firstPlaces.merge(other.firstPlaces) { own, _ in own }
    for (reason, count) in other.counts { counts[reason] = counts[reason, default: 0].saturatingAdding(count) }
  }
}

/// Reads a capture, exchange by exchange, in the order in which they were recorded, in constant memory.
public protocol CaptureReader {
  /// Known once the first exchange was read, at the latest.
  var header: CaptureHeader { get }
  /// What was passed over so far; complete after `next()` has returned `nil`.
  var skipped: SkippedInput { get }
  /// Bytes of input used so far, for progress.
  var bytesRead: Int { get }
  /// The next whole exchange, or `nil` at the end. Damage is counted in `skipped`; only input that can't be read at
  /// all throws a `CaptureError`.
  mutating func next() throws -> RangingExchange?
}

/// A capture that carries a hash of its samples.
public protocol HashedCapture {
  /// Reads all samples and compares; `nil` where the capture has no hash (it was not finished).
  func hashFits() throws -> Bool?
}

/// Why a capture can't be read. Says what, where, and what to do about it.
public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file, or `-`.
  public var file: String
  /// Where in it: a line, a byte, a field.
  public var place: String?
  /// What is wrong.
  public var problem: String
  /// What to do about it.
  public var remedy: String

  /// Creates one with the given values.
  public init(file: String, place: String? = nil, problem: String, remedy: String) {
    self.file = file
    self.place = place
    self.problem = problem
    self.remedy = remedy
  }

  public var description: String {
    "\(file)\(place.map { ", \($0)" } ?? ""): \(problem). \(remedy)".printable()
  }
}
