import Foundation
import UWBCapture
import UWBDSP
import UWBReport

/// A page on its way to its file, and how it was made.
struct ReportFile {
  private let path: String
  private let isDated: Bool
  private let captures: [String]
  private let files: [(kind: String, path: String?)]
  private let hashes: FileHashes

  init(path: String, isDated: Bool, captures: [String], files: [(kind: String, path: String?)]) {
    self.path = path
    self.isDated = isDated
    self.captures = captures
    self.files = files
    // While the verb works on them.
    hashes = FileHashes(captures + files.compactMap(\.path))
  }

  /// - Parameters:
  ///   - notes: of each capture, by its place: its format and radio.
  ///   - facts: how the verb went about it.
  ///   - page: makes the page from how it was made.
  /// - Throws: `CaptureError` where the page can't be written.
  func write(notes: [Int: String] = [:], facts: [Page.Fact] = [], _ page: ([Page.Fact]) -> Page) throws {
    var all: [Page.Fact] = []
    if let arguments = Self.arguments.withLock({ $0 }) {
      all.append(.init("Command", (["uwb"] + arguments).map(Self.quoted).joined(separator: " ")))
    }
    all.append(.init("Program", list: Version.text.split(separator: "\n").map(String.init)))
    all += facts
    let known = hashes.finished()
    func line(_ path: String, _ note: String?) -> String {
      let name = path == "-" ? "standard input" : path
      let hash = known[path].map { ", SHA-512 \($0)" } ?? ", not hashed"
      return name + (note.map { ": \($0)" } ?? "") + hash
    }
    if !captures.isEmpty {
      all.append(.init("Input", list: captures.enumerated().map { line($1, notes[$0]) }))
    }
    for (kind, path) in files {
      guard let path else { continue }
      all.append(.init(kind, list: [line(path, nil)] + (kind == Self.calibration ? Self.origins(path) : [])))
    }
    if isDated { all.append(.init("Made on", OriginRecord.today)) }
    try OutputFile.write(page(all).html(hash: Self.policyHash), to: path)
  }

  /// Captures by their names, a few of them.
  static func title(of captures: [String]) -> String {
    let names = CaptureNames.shortest(captures.map { $0 == "-" ? "standard input" : $0 })
    return names.count > 3
      ? "\(names.prefix(3).joined(separator: ", ")) and \(names.count - 3) more" : names.joined(separator: ", ")
  }

  // MARK: What was asked for

  static let calibration = "Calibration"

  /// Of the command line; `nil` where the program is used as a library.
  static let arguments = StateLock<[String]?>(nil)

  /// As a shell takes it.
  private static func quoted(_ argument: String) -> String {
    let plain = argument.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "0123456789-_./=,:+@%".unicodeScalars.contains($0)
    }
    return plain && !argument.isEmpty ? argument : "'\(argument.replacing("'", with: "'\\''"))'"
  }

  /// What each part of a calibration was made of, where the file says so.
  private static func origins(_ path: String) -> [String] {
    guard let origins = (try? CalibrationFile.read(path))?.origins else { return [] }
    let parts = [
      ("antenna delays", origins.delay), ("line of sight and bias", origins.quality), ("board's phases", origins.board),
      ("antennas", origins.antennas),
    ]
    return parts.compactMap { name, origin in
      guard let origin else { return nil }
      var text = "\(name): from \(origin.captures.count) captures (\(listed(origin.captures.map(\.name))))"
      if let board = origin.board { text += ", board \(board)" }
      if let local = origin.local { text += ", devices \(listed(local))" }
      if let peers = origin.peers { text += ", peers \(listed(peers))" }
      if let delay = origin.delay { text += ", estimator \(delay)" }
      if let date = origin.date { text += ", made on \(date)" }
      return text + (origin.version.map { " by uwb \($0)" } ?? "")
    }
  }

  static func listed(_ names: [String]) -> String {
    names.count > 6
      ? names.prefix(5).joined(separator: ", ") + " and \(names.count - 5) more" : names.joined(separator: ", ")
  }

  /// As a Content-Security-Policy names what may run.
  static func policyHash(_ bytes: [UInt8]) -> String {
    let digits = Array(contentHash(bytes).utf8)
    let hash = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    return "sha512-" + Data(hash).base64EncodedString()
  }
}

/// SHA-512 of files, on a thread of their own.
private final class FileHashes: Sendable {
  private let found = StateLock<[String: String]>([:])
  private let done = DispatchSemaphore(value: 0)

  init(_ paths: [String]) {
    let thread = Thread { [self] in
      for path in paths {
        // What can't be read is told where it is read.
        guard let hash = try? captureHash(path) else { continue }
        found.withLock { $0[path] = hash }
      }
      done.signal()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }

  /// By path. May be called once.
  func finished() -> [String: String] {
    done.wait()
    return found.withLock { $0 }
  }
}
