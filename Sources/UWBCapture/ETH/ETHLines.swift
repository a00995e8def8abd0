import Foundation
import UWBTypes

/// Logs of ETH Zürich's firmware for a DW3220 with two antennas (PDoA mode 3): text lines with a time, blobs of the chip's memory in
/// base64 below the line that announces them.
///
///     0010.87627: New Frame: poll: 2
///     0010.87641: BLOB / toa / v3 / 43
///     XXXX.XXXXX: Data: AAAAAOgD0AdsB/399P9aAAEB…
///
/// A `New Frame` begins a reception; the next one, or the log's end, completes it. Read are `toa` (receive time, phase difference
/// in 1/2048 rad, digital gain), `cir analysis ip`, `sts1` and `sts2` (powers, first path, accumulated symbols), `cir` (accumulators of the
/// preamble and of both STS segments, each of which one antenna received) and `twr` (distance, turntable). Layouts:
/// ETH-PBL/UWB_DualAntenna_AoA, 2023. Not kept: phases of the segments, clock offset and STS quality (their scales are not known), the
/// time difference between the antennas, round and reply times.
///
/// `skipped` counts: `damagedBlob` (no base64, or not as long as announced), `strayBlob` (data that no line announced), `otherBlob` (of a
/// title, version or length that is not known), `failedFrame` (the firmware's own `Timeout`, `Ranging error`, `bad STS`),
/// `truncatedLine`, `otherLine`.
struct ETHLines: CIRLineParser {
  private struct Pending {
    var loggedTime: Double?
    var kinds: Set<ETHBlob.Kind> = []
    var received: DeviceTime?
    var phaseDifference: Double?
    var gain: Int?
    var analyses: [ETHAnalysis?] = [nil, nil, nil]
    var accumulator: TapStorage?
    var distance: Double?
    var turntable: Double?
  }

  var skipped = SkippedInput()
  let notes = [
    "receptions of one radio, polls and finals alike: no timestamps of an exchange, so no distance of the engine's",
    "the true azimuth is the turntable's angle, whose zero and sense the log does not tell",
  ]
  private var pending: Pending?
  /// What the line before has announced; the data of what is not known are passed over.
  private var announced: (kind: ETHBlob.Kind?, byteCount: Int, time: Double?)?
  private var bytes: [UInt8] = []
  private var pool = TapStoragePool()

  var format: String { "eth-dual-antenna" }
  var profile: String { RadioName.dw3000 }

  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    ByteText.contains(anyOf: [": BLOB / ", ": New Frame: "], in: start) ? .yes : .undecided
  }

  mutating func take(_ line: Span<UInt8>, isTerminated: Bool) -> CIRRecord? {
    if ByteText.isBlank(line, from: 0) { return nil }
    let start = Self.textStart(line)
    if ByteText.matches("Data: ", in: line, at: start) {
      return takeData(line, from: start + 6, isTerminated: isTerminated)
    }
    announced = nil
    guard isTerminated else {
      skipped.add("truncatedLine")
      return nil
    }
    let time = ByteText.decimal(line, at: 0)?.value
    if ByteText.matches("BLOB / ", in: line, at: start) {
      announce(ByteText.string(line.extracting((start + 7)...), limit: 80), time: time)
    } else if ByteText.matches("New Frame: ", in: line, at: start) {
      defer { pending = Pending(loggedTime: time) }
      return finish()
    } else {
      skipped.add(Self.tellsFailure(line) ? "failedFrame" : "otherLine")
    }
    return nil
  }

  mutating func finish() -> CIRRecord? {
    defer { pending = nil }
    guard let pending, !pending.kinds.isEmpty else { return nil }
    var record = CIRRecord(received: pending.received, loggedTime: pending.loggedTime)
    let preamble = pending.analyses[0]
    record.firstPathTaps = preamble?.firstPathTaps
    record.firstPathAmplitudes = preamble?.amplitudes
    record.preambleCount = preamble?.preambleCount
    if let preamble, let gain = pending.gain {
      (record.receivedPowerdBm, record.firstPathPowerdBm) = preamble.powers(gain: gain)
    }
    if let storage = pending.accumulator {
      let responses = (0..<3).map {
        ETHAccumulator.response($0, of: storage, preambleCount: pending.analyses[$0]?.preambleCount)
      }
      record.impulseResponse = responses[0]
      record.stsImpulseResponses = Array(responses[1...])
    }
    record.phaseDifferences = pending.phaseDifference.map { [$0] }
    record.chipReport = pending.distance.map { ChipReport(distance: $0, rawDistance: $0) }
    record.truth = pending.turntable.map { GroundTruth(azimuth: $0) }
    return record
  }

  /// Behind the line's time.
  private static func textStart(_ line: Span<UInt8>) -> Int {
    let head = line.extracting(..<min(line.count, 24))
    return ByteText.end(of: ": ", in: head) ?? 0
  }

  private static func tellsFailure(_ line: Span<UInt8>) -> Bool {
    let marks: [StaticString] = ["Timeout", "Ranging error", "bad STS"]
    return marks.contains { ByteText.end(of: $0, in: line) != nil }
  }

  /// `toa / v3 / 43`
  private mutating func announce(_ text: String, time: Double?) {
    let parts = text.split(separator: "/").map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count == 3, parts[1].hasPrefix("v"), let version = Int(parts[1].dropFirst()),
      let byteCount = Int(parts[2])
    else { return skipped.add("damagedBlob") }
    let kind = ETHBlob.Kind(title: parts[0], version: version, byteCount: byteCount)
    if kind == nil { skipped.add("otherBlob") }
    announced = (kind, byteCount, time)
  }

  /// Takes a blob, and gives the reception that it shows to be complete.
  private mutating func takeData(_ line: Span<UInt8>, from start: Int, isTerminated: Bool) -> CIRRecord? {
    guard let (kind, byteCount, time) = announced, pending != nil else {
      skipped.add("strayBlob")
      return nil
    }
    announced = nil
    guard let kind else { return nil }
    guard Base64.decode(line, from: start, into: &bytes), bytes.count == byteCount else {
      skipped.add(isTerminated ? "damagedBlob" : "truncatedLine")
      return nil
    }
    // A frame has one of each: the line that began the next one was lost.
    var complete: CIRRecord?
    if pending?.kinds.contains(kind) == true {
      complete = finish()
      pending = Pending(loggedTime: time)
    }
    pending?.kinds.insert(kind)
    take(kind, ETHBlob(bytes: bytes))
    return complete
  }

  private mutating func take(_ kind: ETHBlob.Kind, _ blob: ETHBlob) {
    switch kind {
    case .timeOfArrival:
      pending?.phaseDifference = Double(blob.signed16(at: 10)) / 2048
      pending?.received = DeviceTime(ticks: blob.unsigned(at: 23, count: 5))
      pending?.gain = Int(blob.bytes[42])
    case .analysis(let segment): pending?.analyses[segment] = ETHAnalysis(blob)
    case .accumulator: pending?.accumulator = ETHAccumulator.store(blob.bytes, in: &pool)
    case .ranging:
      pending?.distance = Double(blob.unsigned(at: 32, count: 4)) / 1000
      let degrees = Double(blob.unsigned(at: 38, count: 2))
      pending?.turntable = degrees.remainder(dividingBy: 360) * .pi / 180
    }
  }
}
