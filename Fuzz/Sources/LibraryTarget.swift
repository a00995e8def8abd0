#if compiler(>=6.3)
  import CUWBC
  import Foundation
  import UWBC

  /// The C interface, called in any order with anything that its header allows: handles of other kinds than asked for and memory that is not
  /// there are the caller's fault alone.
  struct LibraryTarget {
    private var input: ArraySlice<UInt8>
    private let file: String
    private var engine: OpaquePointer?

    static func run(_ bytes: [UInt8], file: String) {
      var target = LibraryTarget(input: bytes[...], file: file)
      var calls = 0
      while !target.input.isEmpty, calls < 16 {
        target.call()
        calls += 1
      }
      uwb_engine_destroy(target.engine)
    }

    private mutating func call() {
      switch byte() % 7 {
      case 0:
        uwb_engine_destroy(engine)
        Self.withTexts(options()) { texts, count, message in uwb_engine_create(texts, count, &engine, message) }
        precondition((uwb_engine_profile(engine) == nil) == (engine == nil), "an engine without a profile")
      case 1: findFirstPaths()
      case 2: readCapture()
      case 3: replay()
      case 4: track()
      case 5: drawTrials()
      default: _ = uwb_name(Int32(truncatingIfNeeded: number()), Int32(truncatingIfNeeded: number()))
      }
    }

    // MARK: Input

    private mutating func byte() -> UInt8 { input.popFirst() ?? 0 }

    /// Small numbers, and now and then those at which sums and products overflow.
    private mutating func number() -> Int {
      let first = byte()
      guard first >= 240 else { return Int(first) - 16 }
      return [Int.min, .max, .max / 2, .min / 2, 1 << 32, -1 << 32, 1 << 20, 65, 4096, 4097][Int(byte()) % 10]
    }

    private mutating func value() -> Double {
      let first = byte()
      switch first {
      case 250...: return [.nan, .infinity, -.infinity, 1e300, -1e-300, 0][Int(first) - 250]
      default: return Double(Int(first) - 120) * (byte() & 1 == 0 ? 0.1 : 1e-9)
      }
    }

    private static let words = [
      "--profile", "dw1000", "dw3000", "sr150", "--delay", "edge-fit", "adaptive", "--scale", "--tap-spacing",
      "--first-path", "--threads",
      "--format", "ndjson", "npy", "csv", "--strict", "--calibration", "--array", "--unit", "mm", "--columns",
      "--deviation", "1", "-1", "nan",
      "1e9", "", "--help", "--version", "--", "\u{FF}",
    ]

    private mutating func options() -> [String] {
      (0..<Int(byte() % 6)).map { _ in
        let choice = Int(byte())
        return choice < 200 ? Self.words[choice % Self.words.count] : choice < 220 ? file : String(value())
      }
    }

    /// Hands `body` an array of texts; whatever it answers, status and message go together.
    private static func withTexts(
      _ texts: [String],
      _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) ->
        uwb_status
    ) {
      let copies = texts.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      let pointers = copies.map { UnsafePointer($0) }
      var message: UnsafeMutablePointer<CChar>?
      let status = Int(pointers.withUnsafeBufferPointer { body($0.baseAddress, texts.count, &message) })
      let isBad = status == UWB_BAD_ARGUMENT || status == UWB_BAD_INPUT
      precondition(
        isBad == (message != nil), "status \(status) with the message \(message.map { String(cString: $0) } ?? "none")")
      uwb_free(message)
    }

    // MARK: Calls

    /// Where the block that is asked for lies in the memory that there is, it is read; else the library has to find that out by itself, which
    /// it can where there is no memory, or no room for the results.
    private mutating func findFirstPaths() {
      if engine == nil {
        Self.withTexts([]) { texts, count, message in uwb_engine_create(texts, count, &engine, message) }
      }
      let format = byte() % 8 == 0 ? Int(byte()) : Int(byte() & 1)
      let size = format == UWB_INT16 ? 4 : 8
      var block = uwb_cirs()
      let (count, antennas, taps) = (number(), number(), number())
      (block.count, block.antennas, block.taps) = (count, antennas, taps)
      let isUsual = byte() & 1 == 0
      block.tap_stride = isUsual ? size : number()
      block.antenna_stride = isUsual ? taps &* size : number()
      block.cir_stride = isUsual ? antennas &* taps &* size : number()
      block.format = Int32(format)
      block.scale = byte() & 1 == 0 ? 0 : Float(value())
      block.tap_spacing_s = byte() & 1 == 0 ? 0 : value()
      block.chip_first_path_taps = byte() & 1 == 0 ? .nan : value()
      let threads = Int(byte() % 4)
      var stop: Int32 = byte() % 16 == 0 ? 1 : 0
      let storage = [UInt64](unsafeUninitializedCapacity: 8192) { memory, initialized in
        for index in 0..<8192 { memory[index] = UInt64(byte()) &* 0x0101_0000_0101_0001 &* UInt64(index % 7) }
        initialized = 8192
      }
      var paths = [uwb_path](repeating: uwb_path(), count: 64)
      let capacity = paths.count
      storage.withUnsafeBytes { memory in
        let lies = Self.lies(block, size: size, in: memory.count)
        if let lies, let start = memory.baseAddress { block.samples = start + lies }
        Self.withTexts([]) { _, _, message in
          uwb_first_paths(engine, &block, threads, &stop, &paths, capacity, message)
        }
        var learned: OpaquePointer?
        var told: UnsafeMutablePointer<CChar>?
        Self.withTexts([]) { _, _, message in uwb_engine_learn(engine, &block, &learned, &told, message) }
        uwb_engine_destroy(learned)
        uwb_free(told)
      }
    }

    /// Where in `room` bytes the first sample may lie; `nil` where the block has no room.
    private static func lies(_ block: uwb_cirs, size: Int, in room: Int) -> Int? {
      var (before, after) = (0, size)
      for (count, stride) in [
        (block.count, block.cir_stride), (block.antennas, block.antenna_stride), (block.taps, block.tap_stride),
      ] where count > 1 {
        let (extent, overflow) = (count - 1).multipliedReportingOverflow(by: stride)
        guard !overflow, abs(Double(extent)) <= Double(room) else { return nil }
        if extent < 0 { before -= extent } else { after += extent }
      }
      return before + after <= room ? before : nil
    }

    /// Reads what is left of the input as a capture, measures its exchanges and looks at all samples.
    private mutating func readCapture() {
      let options = self.options()
      guard write() else { return }
      var reader: OpaquePointer?
      Self.withTexts(options) { texts, count, message in uwb_reader_open(file, texts, count, &reader, message) }
      defer { uwb_reader_destroy(reader) }
      guard reader != nil else { return }
      var own: OpaquePointer?
      Self.withTexts([]) { _, _, message in uwb_reader_engine(reader, &own, message) }
      defer { uwb_engine_destroy(own) }
      for _ in 0..<64 {
        var exchange: OpaquePointer?
        Self.withTexts([]) { _, _, message in uwb_reader_next(reader, &exchange, message) }
        guard exchange != nil else { break }
        look(exchange, own)
        uwb_exchange_destroy(exchange)
      }
      uwb_free(uwb_reader_notes(reader))
    }

    private func look(_ exchange: OpaquePointer?, _ engine: OpaquePointer?) {
      var (values, update, message) = (uwb_exchange_values(), uwb_update(), uwb_message_values())
      _ = uwb_exchange_get(exchange, &values)
      _ = uwb_engine_measure(engine, exchange, &update)
      for kind in -1...4 as ClosedRange<Int32> where uwb_exchange_message(exchange, kind, &message) == Int32(UWB_OK) {
        for index in 0..<message.cirs {
          var cir = uwb_cirs()
          guard uwb_exchange_cir(exchange, kind, index, &cir) == Int32(UWB_OK), let samples = cir.samples else {
            preconditionFailure("a CIR that was counted is not there")
          }
          let last = (cir.antennas - 1) * cir.antenna_stride + (cir.taps - 1) * cir.tap_stride
          _ = samples.loadUnaligned(as: UInt16.self) ^ (samples + last).loadUnaligned(as: UInt16.self)
        }
        precondition(uwb_exchange_cir(exchange, kind, message.cirs, nil) != Int32(UWB_OK), "a CIR beyond the last")
      }
    }

    private mutating func replay() {
      let options = self.options()
      guard write() else { return }
      var replay: OpaquePointer?
      var stop: Int32 = 0
      var done: Int64 = 0
      file.withCString { path in
        let paths: [UnsafePointer<CChar>?] = [path]
        Self.withTexts(options + ["--threads", "1"]) { texts, count, message in
          uwb_replay_create(paths, 1, texts, count, &stop, &done, &replay, message)
        }
      }
      var count = 0
      let updates = uwb_replay_updates(replay, &count)
      for index in 0..<count {
        guard let update = updates?[index] else { preconditionFailure("\(count) updates are not there") }
        precondition(uwb_name(Int32(UWB_EVENT), update.event) != nil, "an event without a name")
        precondition(uwb_replay_capture(replay, Int(update.capture)) != nil, "an event of no capture")
      }
      _ = uwb_replay_warnings(replay)
      uwb_replay_destroy(replay)
    }

    private mutating func track() {
      var tracker: OpaquePointer?
      _ = uwb_tracker_create(&tracker)
      for _ in 0..<Int(byte()) where !input.isEmpty {
        var delivered = uwb_delivered()
        let (time, distance, deviation, probability) = (value(), value(), value(), value())
        Self.withTexts([]) { _, _, message in
          uwb_tracker_update(tracker, time, distance, deviation, probability, &delivered, message)
        }
      }
      uwb_tracker_destroy(tracker)
    }

    private mutating func drawTrials() {
      var trials: OpaquePointer?
      Self.withTexts(["--trials", "4", "--snr", String(value())] + options()) { texts, count, message in
        uwb_trials_create(texts, count, &trials, message)
      }
      defer { uwb_trials_destroy(trials) }
      var (count, taps) = (0, 0)
      uwb_trials_shape(trials, &count, &taps)
      guard count * taps <= 1 << 20 else { return }
      var samples = [Float](repeating: 0, count: max(1, 2 * count * taps))
      var truth = [uwb_trial](repeating: uwb_trial(), count: max(1, count))
      let (number, first) = (self.number(), self.number())
      // More trials than there are have no room here.
      let drawn = min(self.number(), count)
      Self.withTexts([]) { _, _, message in uwb_trials_draw(trials, number, first, drawn, &samples, &truth, message) }
      var score = uwb_score()
      let answers = truth.map { _ in value() }
      _ = uwb_score_delays(truth, answers, answers, truth.count, &score)
    }

    /// Writes what is left of the input to the file.
    private mutating func write() -> Bool {
      defer { input = [] }
      return (try? Data(input).write(to: URL(fileURLWithPath: file))) != nil
    }
  }
#endif
