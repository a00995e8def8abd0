import ArgumentParser
import UWBCapture
import UWBDSP

/// The truth of a capture in which something moves: for every verb that opens captures.
struct TrajectoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "True places of the tags' carrier over time; gives true distances for exchanges that name an anchor.",
      discussion: "Columns: a time, x, y, z in m; optionally qx, qy, qz, qw or a heading about z.",
      valueName: "file.csv"))
  var truthTrajectory: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Places of the anchors, m: a table of id, x, y, z, or \"ID:X,Y,Z;…\"; not needed where the capture holds them.",
      valueName: "file|places"))
  var anchors: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Places of the tags in the moving carrier's axes, m, in the same form; by default one at its origin.",
      valueName: "file|places"))
  var tags: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Trajectory's clock less the capture's, s; by default the shift that fits best, which is printed.",
      valueName: "s"),
    transform: OptionRange.reader(CaptureLimits.time))
  var truthOffset: Double?

  var files: [String?] { [truthTrajectory] + [anchors, tags].map { $0.flatMap { Self.isInline($0) ? nil : $0 } } }

  /// What the options say, read; `nil` without a trajectory.
  ///
  /// - Throws: `CaptureError` for a file that can't be read.
  func trajectory() throws -> TruthTrajectory? {
    guard let truthTrajectory else {
      guard truthOffset == nil else { throw ValidationError("--truth-offset goes with --truth-trajectory.") }
      return nil
    }
    return TruthTrajectory(
      try PoseTable(path: truthTrajectory, frame: .room), anchors: try Self.places(anchors, option: "--anchors"),
      tags: try Self.places(tags, option: "--tags"))
  }

  static func places(_ text: String?, option: String) throws -> PlaceList {
    guard let text else { return PlaceList() }
    return isInline(text) ? try PlaceList(inline: text, option: option) : try PlaceList(ByteSource(path: text))
  }

  /// Places hold two commas each; a file's name does not hold them between numbers.
  static func isInline(_ text: String) -> Bool {
    text.split(separator: ";").first.map { part in
      let numbers = (part.split(separator: ":").last ?? "").split(separator: ",", omittingEmptySubsequences: false)
      return numbers.count == 3 && numbers.allSatisfy { Double($0.filter { $0 != " " }) != nil }
    } ?? false
  }

  /// Puts the trajectory on the clock of the capture at `path`, and tells how.
  ///
  /// - Parameter open: opens the capture, once more than for its exchanges.
  /// - Throws: `CaptureError` where no shift is given and none can be found.
  func align(
    _ trajectory: inout TruthTrajectory, _ path: String, open: () throws -> any CaptureReader
  ) throws {
    var alignment = ClockAlignment()
    var (start, end): (Double?, Double) = (nil, 0)
    if path != "-" {
      var reader = try open()
      while let exchange = try reader.next() {
        alignment.add(exchange, to: trajectory)
        end = exchange.time
      }
      start = reader.header.clockStart
      guard alignment.exchanges > alignment.withoutPlace else {
        throw CaptureError(
          file: path,
          problem: "none of its \(alignment.exchanges) distances is with an anchor or a tag of a known place",
          remedy: "Give the anchors' places with --anchors, and the tags' with --tags; uwb info names the peers.")
      }
    }
    let nominal = ClockAlignment.nominal(trajectory.poses, start, duration: end)
    if truthOffset == nil || trajectory.poses.isQuaternionOrderOpen,
      let found = alignment.align(&trajectory, captureStart: start)
    {
      tell(found, nominal, path)
    } else if truthOffset == nil {
      guard let nominal else {
        throw CaptureError(
          file: path, problem: "no shift makes its distances follow the trajectory \(truthTrajectory ?? "")",
          remedy: "Give the clocks' difference with --truth-offset SECONDS, and check the anchors' places.")
      }
      trajectory.shift = nominal
      Message.note(
        "\(path): the clocks of capture and trajectory are taken as they are: no shift fits better than others.")
    }
    if let truthOffset { trajectory.shift = (start ?? 0) - (trajectory.poses.clockStart ?? 0) + truthOffset }
  }

  private func tell(_ found: ClockAlignment.Result, _ nominal: Double?, _ path: String) {
    if truthOffset == nil {
      let shift =
        "\(String(decimal: found.shift - (nominal ?? 0), places: 3)) ± \(String(decimal: found.deviation, places: 3)) s"
      Message.note(
        nominal == nil
          ? "\(path): its first exchange is at \(shift) of the trajectory, found by alignment."
          : "\(path): the trajectory's clock is \(shift) ahead of the capture's, found by alignment (--truth-offset gives it)."
      )
    }
    if let order = found.quaternionOrder {
      Message.note(
        "\(path): the trajectory's quaternion has no column names; its order is taken for \(order), which fits best.")
    }
  }
}

/// Puts a trajectory's true distances on a capture's exchanges.
struct TrajectoryReader: CaptureReader {
  var reader: any CaptureReader
  let trajectory: TruthTrajectory

  var header: CaptureHeader { reader.header }
  var skipped: SkippedInput { reader.skipped }
  var bytesRead: Int { reader.bytesRead }

  mutating func next() throws -> RangingExchange? {
    guard var exchange = try reader.next() else { return nil }
    if let distance = trajectory.distance(of: exchange) {
      var truth = exchange.truth ?? GroundTruth()
      truth.distance = distance
      exchange.truth = truth
    }
    return exchange
  }
}
