import Foundation
import UWBCapture
import UWBDSP

/// What a capture does not say of itself, kept beside it in `NAME.uwb.json`: the options of `InputOptions` by their names.
struct CaptureDescription: Codable, Hashable {
  var format: String?
  var profile: String?
  var rows: String?
  var scale: Double?
  var tapSpacing: Double?
  var firstPath: Double?
  var columns: String?
  var unit: String?
  var deviation: Double?
  var truthTrajectory: String?
  var anchors: String?
  var tags: String?
  var truthOffset: Double?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case format, profile, rows, scale
    case tapSpacing = "tap-spacing"
    case firstPath = "first-path"
    case columns, unit, deviation
    case truthTrajectory = "truth-trajectory"
    case anchors, tags
    case truthOffset = "truth-offset"
  }

  private static let shape = JSONShape.object([
    "format": .word(CaptureFormat.all.map(\.name)), "profile": .word(DeviceProfile.all.map(\.name)),
    "rows": .word(CaptureOptions.Rows.allCases.map(\.rawValue)),
    "scale": .number(Double(-CaptureLimits.scale.upperBound)...Double(CaptureLimits.scale.upperBound)),
    "tap-spacing": .number(OptionRange.tapSpacing), "first-path": .number(CaptureLimits.taps), "columns": .text,
    "unit": .text, "deviation": .number(OptionRange.deviation), "truth-trajectory": .text, "anchors": .text,
    "tags": .text,
    "truth-offset": .number(CaptureLimits.time),
  ])

  /// Where the description of the capture at `path` lies.
  static func path(of capture: String) -> String { capture + CapturePaths.descriptionEnding }

  /// What is kept beside the capture; `nil` where nothing is.
  ///
  /// - Throws: `CaptureError` for a file that can't be read.
  static func read(beside capture: String) throws -> CaptureDescription? {
    let path = path(of: capture)
    guard capture != "-", FileManager.default.fileExists(atPath: path) else { return nil }
    var description = try JSONFile.decode(
      CaptureDescription.self, path, shape: shape,
      remedy: "Write it anew with uwb describe --save, or take it away.")
    for field in files {
      description[keyPath: field] = description[keyPath: field].map { resolved($0, beside: capture) }
    }
    return description
  }

  func write(beside capture: String) throws {
    var description = self
    let folder = URL(fileURLWithPath: capture).deletingLastPathComponent().path + "/"
    for field in Self.files {
      description[keyPath: field] = self[keyPath: field].map { file in
        guard !TrajectoryOptions.isInline(file) else { return file }
        let whole = URL(fileURLWithPath: file).path
        return whole.hasPrefix(folder) ? String(whole.dropFirst(folder.count)) : whole
      }
    }
    let text = try JSONFile.encode(description, [.prettyPrinted, .withoutEscapingSlashes])
    try OutputFile.write(text + Data("\n".utf8), to: Self.path(of: capture))
  }

  /// Fields that may name files, which lie where they lie as seen from the capture.
  private static var files: [WritableKeyPath<CaptureDescription, String?>] { [\.truthTrajectory, \.anchors, \.tags] }

  private static func resolved(_ file: String, beside capture: String) -> String {
    guard !file.hasPrefix("/"), !TrajectoryOptions.isInline(file) else { return file }
    let folder = (capture as NSString).deletingLastPathComponent
    return folder.isEmpty ? file : folder + "/" + file
  }

  /// As options: `--unit mm --deviation 0.1`.
  var text: String {
    let fields: [(CodingKeys, String?)] = [
      (.format, format), (.profile, profile), (.rows, rows), (.scale, scale.map { "\($0)" }),
      (.tapSpacing, tapSpacing.map { "\($0)" }), (.firstPath, firstPath.map { "\($0)" }), (.columns, columns),
      (.unit, unit), (.deviation, deviation.map { "\($0)" }), (.truthTrajectory, truthTrajectory), (.anchors, anchors),
      (.tags, tags), (.truthOffset, truthOffset.map { "\($0)" }),
    ]
    return fields.compactMap { key, value in
      value.map { "--\(key.rawValue) \($0.contains(" ") || $0.contains(";") ? "\"\($0)\"" : $0)" }
    }.joined(separator: " ")
  }
}

extension InputOptions {
  /// What the command line says.
  var description: CaptureDescription {
    CaptureDescription(
      format: format == "auto" ? nil : format, profile: profile, rows: rows == .antennas ? nil : rows.rawValue,
      scale: scale.map(Double.init), tapSpacing: tapSpacing, firstPath: firstPath, columns: columns, unit: unit,
      deviation: deviation, truthTrajectory: truth.truthTrajectory, anchors: truth.anchors, tags: truth.tags,
      truthOffset: truth.truthOffset)
  }

  /// The same with what is kept beside the capture, where the command line says nothing.
  func completed(by saved: CaptureDescription) -> InputOptions {
    var whole = self
    if format == "auto" { whole.format = saved.format ?? "auto" }
    if rows == .antennas, let known = saved.rows.flatMap(CaptureOptions.Rows.init) { whole.rows = known }
    whole.profile = profile ?? saved.profile
    whole.scale = scale ?? saved.scale.map(Float.init)
    whole.tapSpacing = tapSpacing ?? saved.tapSpacing
    whole.firstPath = firstPath ?? saved.firstPath
    whole.columns = columns ?? saved.columns
    whole.unit = unit ?? saved.unit
    whole.deviation = deviation ?? saved.deviation
    whole.truth.truthTrajectory = truth.truthTrajectory ?? saved.truthTrajectory
    whole.truth.anchors = truth.anchors ?? saved.anchors
    whole.truth.tags = truth.tags ?? saved.tags
    whole.truth.truthOffset = truth.truthOffset ?? saved.truthOffset
    return whole
  }
}
