// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import UWBDSP
import UWBPlatform
import uwb

/// What a `uwb_engine` stands for.
final class EngineHandle: Sendable {
  let engine: LibraryEngine
  let profile: KeptText
  let estimator: KeptText

  init(_ engine: LibraryEngine) {
    self.engine = engine
    profile = KeptText(engine.profile)
    estimator = KeptText(engine.estimator)
  }
}

/// Where results go: each is written once, by whichever thread has it.
private struct Results: @unchecked Sendable {
  let rows: UnsafeMutablePointer<uwb_path>?
}

extension uwb_cirs {
  fileprivate func block() throws -> CIRBlock {
    guard let count = Int(exactly: count), let antennas = Int(exactly: antennas), let taps = Int(exactly: taps) else {
      throw LibraryError.badArgument("No memory holds \(count) × \(antennas) × \(taps) samples.")
    }
    guard Int(format) == UWB_INT16 || Int(format) == UWB_FLOAT32 else {
      throw LibraryError.badArgument("There is no sample format \(format).")
    }
    return CIRBlock(
      samples: samples, count: count, antennaCount: antennas, tapCount: taps,
      strides: (cir_stride, antenna_stride, tap_stride),
      format: Int(format) == UWB_INT16 ? .int16 : .float32, scale: scale, tapSpacing: tap_spacing_s,
      firstPathTaps: chip_first_path_taps.isNaN ? nil : chip_first_path_taps)
  }
}

extension uwb_path {
  fileprivate init(_ row: PathRow) {
    self.init(
      first_path_taps: row.firstPathTaps ?? .nan, first_path_std_taps: row.deviationTaps ?? .nan,
      first_path_std_m: row.deviation ?? .nan, common_first_path_taps: row.commonTaps ?? .nan,
      amplitude: row.amplitude ?? .nan, phase_deg: row.phase ?? .nan, phase_std_deg: row.phaseDeviation ?? .nan,
      snr_db: row.estimate.snrdB ?? .nan, noise_std: row.noiseDeviation ?? .nan,
      line_of_sight_probability: row.lineOfSightProbability ?? .nan,
      status: Names.code(row.status.rawValue, in: Names.pathStatuses), antenna: Int32(truncatingIfNeeded: row.antenna))
  }
}

@c @implementation
public func uwb_engine_create(
  _ options: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ engine: UnsafeMutablePointer<OpaquePointer?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.create(engine, "engine", message) {
    EngineHandle(try LibraryEngine(options: try Border.texts(options, count)))
  }
}

@c @implementation
public func uwb_engine_destroy(_ engine: OpaquePointer?) { Border.destroy(engine, as: EngineHandle.self) }

@c @implementation
public func uwb_engine_profile(_ engine: OpaquePointer?) -> UnsafePointer<CChar>? {
  engine.map { UnsafePointer(Border.object($0, as: EngineHandle.self).profile.pointer) } ?? nil
}

@c @implementation
public func uwb_engine_estimator(_ engine: OpaquePointer?) -> UnsafePointer<CChar>? {
  engine.map { UnsafePointer(Border.object($0, as: EngineHandle.self).estimator.pointer) } ?? nil
}

@c @implementation
public func uwb_engine_learn(
  _ engine: OpaquePointer?, _ cirs: UnsafePointer<uwb_cirs>?, _ learned: UnsafeMutablePointer<OpaquePointer?>?,
  _ told: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  told?.pointee = nil
  var isLearned = false
  let status = Border.create(learned, "learned", message) {
    let handle = try Border.object(engine, as: EngineHandle.self)
    let found = try handle.engine.learning(from: Border.needed(cirs, "cirs").pointee.block())
    told?.pointee = found.told.flatMap(Border.copy)
    isLearned = found.engine != nil
    return found.engine.map(EngineHandle.init)
  }
  return status == Border.status(UWB_OK) && !isLearned ? Border.status(UWB_END) : status
}

@c @implementation
public func uwb_first_paths(
  _ engine: OpaquePointer?, _ cirs: UnsafePointer<uwb_cirs>?, _ threads: Int, _ stop: UnsafePointer<Int32>?,
  _ paths: UnsafeMutablePointer<uwb_path>?, _ capacity: Int,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.run(message) {
    let handle = try Border.object(engine, as: EngineHandle.self)
    let block = try Border.needed(cirs, "cirs").pointee.block()
    let (rowCount, overflow) = block.count.multipliedReportingOverflow(by: block.antennaCount)
    guard !overflow, rowCount <= capacity else {
      throw LibraryError.badArgument(
        "\(block.count) CIRs × \(block.antennaCount) antennas have no room in \(capacity) rows.")
    }
    guard rowCount == 0 || paths != nil else { throw LibraryError.badArgument("paths is NULL.") }
    let results = Results(rows: paths)
    let antennaCount = block.antennaCount
    try handle.engine.findFirstPaths(in: block, threads: threads, isStopped: { uwb_is_set(stop) != 0 }) {
      cir, antenna, row in
      results.rows?[cir * antennaCount + antenna] = uwb_path(row)
    }
  }
}

@c @implementation
public func uwb_engine_measure(
  _ engine: OpaquePointer?, _ exchange: OpaquePointer?, _ update: UnsafeMutablePointer<uwb_update>?
) -> uwb_status {
  Border.run(nil) {
    let handle = try Border.object(engine, as: EngineHandle.self)
    let exchange = try Border.object(exchange, as: ExchangeHandle.self).exchange
    try Border.needed(update, "update").pointee = uwb_update(handle.engine.measure(exchange), capture: 0)
  }
}
