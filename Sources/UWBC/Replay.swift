// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import UWBDSP
import UWBPlatform
import uwb

/// What a `uwb_replay` stands for.
private final class ReplayHandle {
  let updates: UnsafeMutableBufferPointer<uwb_update>
  let captures: [KeptText]
  let summary: KeptText
  let warnings: KeptText?

  init(_ rows: [uwb_update], _ replay: LibraryReplay) {
    updates = .allocate(capacity: rows.count)
    _ = updates.initialize(from: rows)
    captures = replay.captures.map(KeptText.init)
    summary = KeptText(replay.summary)
    warnings = replay.messages.isEmpty ? nil : KeptText(replay.messages.joined(separator: "\n"))
  }

  deinit { updates.deallocate() }
}

extension uwb_update {
  init(_ row: UpdateRow, capture: Int) {
    let direction = row.direction ?? SIMD3(repeating: .nan)
    self.init()
    time_s = row.time
    distance_m = row.distance ?? .nan
    distance_std_m = row.distanceDeviation ?? .nan
    self.direction = (direction.x, direction.y, direction.z)
    azimuth_deg = row.azimuth ?? .nan
    elevation_deg = row.elevation ?? .nan
    azimuth_std_deg = row.azimuthDeviation ?? .nan
    elevation_std_deg = row.elevationDeviation ?? .nan
    alternative_azimuth_deg = row.alternativeAzimuth ?? .nan
    alternative_elevation_deg = row.alternativeElevation ?? .nan
    raw_distance_m = row.rawDistance ?? .nan
    raw_distance_std_m = row.rawDistanceDeviation ?? .nan
    calibrated_distance_m = row.calibratedDistance ?? .nan
    calibrated_distance_std_m = row.calibratedDistanceDeviation ?? .nan
    range_bias_m = row.rangeBias ?? .nan
    range_bias_std_m = row.rangeBiasDeviation ?? .nan
    line_of_sight_probability = row.lineOfSightProbability ?? .nan
    first_path_taps_poll = row.firstPathTaps.poll ?? .nan
    first_path_taps_response = row.firstPathTaps.response ?? .nan
    first_path_taps_final = row.firstPathTaps.final ?? .nan
    snr_db = row.snrDB ?? .nan
    clock_offset_ppm = row.clockOffsetPPM ?? .nan
    chip_distance_m = row.chipDistance ?? .nan
    chip_raw_distance_m = row.chipRawDistance ?? .nan
    chip_azimuth_deg = row.chipAzimuth ?? .nan
    chip_elevation_deg = row.chipElevation ?? .nan
    true_distance_m = row.trueDistance ?? .nan
    true_azimuth_deg = row.trueAzimuth ?? .nan
    true_elevation_deg = row.trueElevation ?? .nan
    peer = row.peer.rawValue
    exchange = row.exchange.map(Int64.init) ?? -1
    self.capture = Int32(truncatingIfNeeded: capture)
    event = Names.code(row.event.rawValue, in: Names.events)
    status = Names.code(row.status, in: UpdateRow.statuses)
    direction_status = Names.code(row.directionStatus?.rawValue, in: Names.directionStatuses)
    fallback = Names.code(row.fallback?.rawValue, in: Names.estimators)
    clock_rejections = Int32(clamping: row.clockRejections ?? 0)
  }
}

@c @implementation
public func uwb_replay_create(
  _ paths: UnsafePointer<UnsafePointer<CChar>?>?, _ pathCount: Int, _ options: UnsafePointer<UnsafePointer<CChar>?>?,
  _ optionCount: Int, _ stop: UnsafePointer<Int32>?, _ done: UnsafeMutablePointer<Int64>?,
  _ replay: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.create(replay, "replay", message) {
    var rows: [uwb_update] = []
    let replay = try LibraryReplay(
      of: try Border.texts(paths, pathCount), options: try Border.texts(options, optionCount),
      isStopped: { uwb_is_set(stop) != 0 }
    ) { capture, row in
      rows.append(uwb_update(row, capture: capture))
      uwb_count(done)
    }
    return ReplayHandle(rows, replay)
  }
}

@c @implementation
public func uwb_replay_destroy(_ replay: OpaquePointer?) { Border.destroy(replay, as: ReplayHandle.self) }

@c @implementation
public func uwb_replay_updates(
  _ replay: OpaquePointer?, _ count: UnsafeMutablePointer<Int>?
) -> UnsafePointer<uwb_update>? {
  let updates = replay.map { Border.object($0, as: ReplayHandle.self).updates }
  count?.pointee = updates?.count ?? 0
  return updates?.baseAddress.map { UnsafePointer($0) }
}

@c @implementation
public func uwb_replay_capture(_ replay: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
  guard let replay else { return nil }
  let captures = Border.object(replay, as: ReplayHandle.self).captures
  return captures.indices.contains(index) ? UnsafePointer(captures[index].pointer) : nil
}

@c @implementation
public func uwb_replay_summary(_ replay: OpaquePointer?) -> UnsafePointer<CChar>? {
  replay.map { UnsafePointer(Border.object($0, as: ReplayHandle.self).summary.pointer) } ?? nil
}

@c @implementation
public func uwb_replay_warnings(_ replay: OpaquePointer?) -> UnsafePointer<CChar>? {
  replay.map { UnsafePointer(Border.object($0, as: ReplayHandle.self).warnings?.pointer) } ?? nil
}
