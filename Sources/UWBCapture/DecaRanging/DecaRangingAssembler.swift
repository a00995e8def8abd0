import UWBTypes

/// Puts a DecaRanging log's lines together to exchanges.
///
/// A poll's reception begins an exchange. The response's transmit time may come before or after the final. What can't
/// belong to the exchange at hand (a second poll, final or response) ends it. The exchange is handed over as soon as
/// it is whole and reported, else when it ends.
struct DecaRangingAssembler {
  /// Where lines about a received frame belong.
  private enum Target {
    /// No frame's reception was seen.
    case none
    /// A frame that is known not to be wanted: received in error, of another kind, or lost in damage.
    case ignored
    case poll, final
  }

  var skipped = SkippedInput()
  private(set) var notes: [String] = []
  var accumulator = DecaRangingAccumulator()

  private var pending: PartialDecaRangingExchange?
  private var target = Target.none
  private var pool = TapStoragePool()
  private var clock = UnwrappedClock()
  private var count = 0

  /// Takes the next line.
  ///
  /// - Returns: the exchange that it completes or ends.
  mutating func take(_ line: DecaRangingLine) -> RangingExchange? {
    switch line {
    case .blank:
      return nil
    case .tap(let real, let imaginary):
      if accumulator.append(real: real, imaginary: imaginary) { skipped.add("damagedAccumulator") }
      return nil
    case .unknown where accumulator.isFilling:
      skipped.add(accumulator.damage() ? "damagedAccumulator" : "unknownLine")
      return nil
    default:
      closeAccumulator()
    }
    switch line {
    case .reception(let function, let sequence, let time):
      return begin(.init(time: time, function: function, sequence: sequence))
    case .damagedReception:
      skipped.add("damagedLine")
      target = .ignored
    case .payload(let frame): take(frame)
    case .quality(let quality): take(quality)
    case .receiveError:
      skipped.add("receiveError")
      target = .ignored
    case .accumulator(let tapCount): openAccumulator(tapCount)
    case .transmission(let time): return take(responseTransmitted: time)
    case .report(let report): take(report)
    case .pollToResponse(let tag, let anchor):
      if pending?.report != nil { pending?.logged.pollToResponse = (tag, anchor) }
    case .responseToFinal(let anchor, let tag):
      if pending?.report != nil { pending?.logged.responseToFinal = (tag, anchor) }
      return finishIfReported()
    case .note(let note):
      if notes.count < 16 { notes.append(note) }
    case .damaged: skipped.add("damagedLine")
    case .unknown: skipped.add("unknownLine")
    case .blank, .tap, .unused: break
    }
    return nil
  }

  /// Counts input that no line can be made of.
  mutating func skip(_ reason: String, count: Int = 1) {
    skipped.add(reason, count: count)
    if accumulator.isFilling, accumulator.damage() { skipped.add("damagedAccumulator") }
  }

  /// Ends the exchange at hand: at the end of the log, too.
  mutating func finish() -> RangingExchange? {
    closeAccumulator()
    target = .none
    guard let ended = pending else { return nil }
    pending = nil
    guard let intervals = ended.intervals else {
      skipped.add("incompleteExchange")
      // Polls without an answer keep the unwrapped time right through long gaps, if both of their readings agree.
      if let poll = ended.poll, poll.quality?.time == poll.time { clock.advance(to: poll.time) }
      return nil
    }
    guard ended.isConsistent, let poll = ended.poll else {
      skipped.add("mismatchedFrames")
      return nil
    }
    if ended.isReported, ended.logged != intervals { skipped.add("intervalMismatch") }
    clock.advance(to: poll.time)
    defer { count += 1 }
    return ended.rangingExchange(index: count, time: clock.seconds)
  }

  private mutating func begin(_ frame: PartialDecaRangingExchange.ReceivedFrame) -> RangingExchange? {
    switch frame.function {
    case DecaRangingFrame.Function.poll:
      let ended = finish()
      pending = PartialDecaRangingExchange(poll: frame)
      target = .poll
      return ended
    case DecaRangingFrame.Function.final:
      let ended = pending?.final == nil ? nil : finish()
      pending = pending ?? PartialDecaRangingExchange()
      pending?.final = frame
      target = .final
      return ended
    default:
      skipped.add("otherFrame")
      target = .ignored
      return nil
    }
  }

  private mutating func take(responseTransmitted time: DeviceTime) -> RangingExchange? {
    let ended = pending?.responseTransmitted == nil ? nil : finish()
    pending = pending ?? PartialDecaRangingExchange()
    pending?.responseTransmitted = time
    return ended ?? finishIfReported()
  }

  private mutating func take(_ report: ChipReport) {
    if pending?.final == nil || pending?.report != nil {
      skipped.add("staleReport")
    } else {
      pending?.report = report
    }
  }

  private mutating func finishIfReported() -> RangingExchange? {
    guard let pending, pending.isWhole, pending.isReported else { return nil }
    return finish()
  }

  private mutating func take(_ frame: DecaRangingFrame?) {
    guard let current else { return loseFrame() }
    guard current.frame == nil, let frame, frame.function == current.function, frame.sequence == current.sequence else {
      return loseFrame()
    }
    if !frame.isIntact { skipped.add("frameCheckMismatch") }
    update { $0.frame = frame }
  }

  private mutating func take(_ quality: DecaRangingLine.Quality) {
    guard let current, current.quality == nil else { return loseFrame() }
    if quality.isDamaged { skipped.add("damagedLine") }
    update { $0.quality = quality }
  }

  private mutating func openAccumulator(_ tapCount: Int?) {
    var isWanted = current != nil
    if target == .none || (isWanted && current?.accumulator != nil) {
      loseFrame()
      isWanted = false
    }
    if accumulator.open(tapCount: tapCount, isWanted: isWanted) { skipped.add("damagedAccumulator") }
  }

  private mutating func closeAccumulator() {
    switch accumulator.close(using: &pool) {
    case .nothing: break
    case .incomplete: skipped.add("damagedAccumulator")
    case .whole(let storage, let tapCount): update { $0.accumulator = (storage, tapCount) }
    }
  }

  /// The frame that lines are about, if it is a wanted one.
  private var current: PartialDecaRangingExchange.ReceivedFrame? {
    switch target {
    case .poll: pending?.poll
    case .final: pending?.final
    case .none, .ignored: nil
    }
  }

  private mutating func update(_ body: (inout PartialDecaRangingExchange.ReceivedFrame) -> Void) {
    switch target {
    case .poll:
      if var frame = pending?.poll {
        body(&frame)
        pending?.poll = frame
      }
    case .final:
      if var frame = pending?.final {
        body(&frame)
        pending?.final = frame
      }
    case .none, .ignored: break
    }
  }

  // A line that can't be of the frame at hand: the reception that it belongs to was lost, and is counted once.
  private mutating func loseFrame() {
    if target != .ignored { skipped.add("damagedFrame") }
    target = .ignored
  }
}
