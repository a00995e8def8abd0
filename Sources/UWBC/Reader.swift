// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import UWBDSP
import UWBPlatform
import uwb

/// What a `uwb_reader` stands for.
private final class ReaderHandle {
  let reader: LibraryReader
  let format: KeptText
  let profile: KeptText

  init(_ reader: LibraryReader) {
    self.reader = reader
    format = KeptText(reader.format)
    profile = KeptText(reader.profile)
  }
}

/// What a `uwb_exchange` stands for.
final class ExchangeHandle: Sendable {
  let exchange: RangingExchange

  init(_ exchange: RangingExchange) { self.exchange = exchange }

  func message(_ number: Int32) -> RangingMessage? {
    switch Int(number) {
    case UWB_POLL: exchange.poll
    case UWB_RESPONSE: exchange.response
    case UWB_SECOND_POLL: exchange.secondPoll
    case UWB_FINAL: exchange.final
    default: nil
    }
  }
}

extension RangingMessage {
  /// Of the preamble, then of the STS's segments.
  fileprivate var impulseResponses: [ChannelImpulseResponse] {
    ([reception?.impulseResponse] + (reception?.stsImpulseResponses ?? [])).compactMap { $0 }
  }
}

@c @implementation
public func uwb_reader_open(
  _ path: UnsafePointer<CChar>?, _ options: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?, _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.create(reader, "reader", message) {
    let path = String(cString: try Border.needed(path, "path"))
    return ReaderHandle(try LibraryReader(path, options: try Border.texts(options, count)))
  }
}

@c @implementation
public func uwb_reader_destroy(_ reader: OpaquePointer?) { Border.destroy(reader, as: ReaderHandle.self) }

@c @implementation
public func uwb_reader_format(_ reader: OpaquePointer?) -> UnsafePointer<CChar>? {
  reader.map { UnsafePointer(Border.object($0, as: ReaderHandle.self).format.pointer) } ?? nil
}

@c @implementation
public func uwb_reader_profile(_ reader: OpaquePointer?) -> UnsafePointer<CChar>? {
  reader.map { UnsafePointer(Border.object($0, as: ReaderHandle.self).profile.pointer) } ?? nil
}

@c @implementation
public func uwb_reader_notes(_ reader: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
  guard let notes = reader.map({ Border.object($0, as: ReaderHandle.self).reader.notes }), !notes.isEmpty else {
    return nil
  }
  return Border.copy(notes.joined(separator: "\n"))
}

@c @implementation
public func uwb_reader_engine(
  _ reader: OpaquePointer?, _ engine: UnsafeMutablePointer<OpaquePointer?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  Border.create(engine, "engine", message) {
    EngineHandle(try Border.object(reader, as: ReaderHandle.self).reader.engine())
  }
}

@c @implementation
public func uwb_reader_next(
  _ reader: OpaquePointer?, _ exchange: UnsafeMutablePointer<OpaquePointer?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> uwb_status {
  var isEnded = false
  let status = Border.create(exchange, "exchange", message) {
    let exchange = try Border.object(reader, as: ReaderHandle.self).reader.next()
    isEnded = exchange == nil
    return exchange.map { ExchangeHandle($0) }
  }
  return isEnded ? Border.status(UWB_END) : status
}

@c @implementation
public func uwb_exchange_destroy(_ exchange: OpaquePointer?) { Border.destroy(exchange, as: ExchangeHandle.self) }

@c @implementation
public func uwb_exchange_get(
  _ exchange: OpaquePointer?, _ values: UnsafeMutablePointer<uwb_exchange_values>?
) -> uwb_status {
  Border.run(nil) {
    let exchange = try Border.object(exchange, as: ExchangeHandle.self).exchange
    func degrees(_ radians: Double?) -> Double { radians.map { $0 * 180 / .pi } ?? .nan }
    try Border.needed(values, "values").pointee = uwb_exchange_values(
      time_s: exchange.time, chip_distance_m: exchange.chipReport?.distance ?? .nan,
      chip_raw_distance_m: exchange.chipReport?.rawDistance ?? .nan, true_distance_m: exchange.truth?.distance ?? .nan,
      true_azimuth_deg: degrees(exchange.truth?.azimuth), true_elevation_deg: degrees(exchange.truth?.elevation),
      index: Int64(exchange.index), peer: exchange.peer.rawValue, local: exchange.local?.rawValue ?? 0,
      has_local: exchange.local == nil ? 0 : 1, is_local_initiator: exchange.initiator == .local ? 1 : 0)
  }
}

@c @implementation
public func uwb_exchange_message(
  _ exchange: OpaquePointer?, _ message: Int32, _ values: UnsafeMutablePointer<uwb_message_values>?
) -> uwb_status {
  guard let exchange, let values else { return Border.status(UWB_BAD_ARGUMENT) }
  guard let message = Border.object(exchange, as: ExchangeHandle.self).message(message) else {
    return Border.status(UWB_END)
  }
  let reception = message.reception
  values.pointee = uwb_message_values(
    chip_first_path_taps: reception?.chipFirstPathTaps ?? .nan, received_power_dbm: reception?.receivedPowerdBm ?? .nan,
    first_path_power_dbm: reception?.firstPathPowerdBm ?? .nan, carrier_offset_ppm: reception?.carrierOffsetppm ?? .nan,
    transmitted_ticks: message.transmitted.map { Int64(clamping: $0.ticks) } ?? -1,
    received_ticks: reception.map { Int64(clamping: $0.time.ticks) } ?? -1,
    preamble_count: reception?.preambleCount.map { Int32(clamping: $0) } ?? -1,
    cirs: Int32(clamping: message.impulseResponses.count))
  return Border.status(UWB_OK)
}

@c @implementation
public func uwb_exchange_cir(
  _ exchange: OpaquePointer?, _ message: Int32, _ index: Int32, _ cir: UnsafeMutablePointer<uwb_cirs>?
) -> uwb_status {
  guard let exchange, let cir else { return Border.status(UWB_BAD_ARGUMENT) }
  let message = Border.object(exchange, as: ExchangeHandle.self).message(message)
  let responses = message?.impulseResponses ?? []
  guard responses.indices.contains(Int(index)) else { return Border.status(UWB_END) }
  let response = responses[Int(index)]
  let size = response.format.byteCount
  // The exchange holds the storage, whose memory does not move.
  let samples = response.storage.withBytes { $0.baseAddress.map { $0 + response.byteOffset } }
  cir.pointee = uwb_cirs(
    samples: samples, count: 1, antennas: response.antennaCount, taps: response.tapCount,
    cir_stride: response.antennaCount * response.antennaStride * size, antenna_stride: response.antennaStride * size,
    tap_stride: response.tapStride * size, format: Int32(response.format == .int16 ? UWB_INT16 : UWB_FLOAT32),
    scale: response.scale, tap_spacing_s: response.tapSpacing,
    chip_first_path_taps: message?.reception?.chipFirstPathTaps ?? .nan)
  return Border.status(UWB_OK)
}
