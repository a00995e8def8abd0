import UWBTypes

/// A window of an impulse response, as diagnostics of either layout carry it.
struct TapWindow: Sendable {
  var id: SegmentID
  /// Where the chip's own first path lies in the window, taps; `nil` where the window does not hold it.
  var firstPath: Int?
  var taps: PackedTaps

  /// Whether the offset is that of the window or that of the path is not documented. A window that holds its first path holds it at the
  /// offset's size either way.
  init(_ response: SegmentImpulseResponse) {
    id = response.id
    taps = response.packed
    firstPath = Self.place(Int(response.firstPathOffset.magnitude), in: taps)
  }

  /// The samples' format is the chip's own: they are taken as Qorvo's are, in phase and quadrature, signed, half the octets each.
  ///
  /// - Parameter receiver: windows of one frame are told apart by their order alone.
  /// - Returns: `nil` where the octets do not divide into as many taps.
  init?(_ window: PathWindow, receiver: Int) {
    let count = Int(window.sampleCount)
    guard count > 0, window.samples.count % count == 0 else { return nil }
    let octets = window.samples.count / count
    guard PackedTaps.isTap(octets: octets) else { return nil }
    id = SegmentID(rawValue: UInt8(truncatingIfNeeded: receiver << 4) | (receiver == 0 ? 8 : 0))
    taps = PackedTaps(window.samples[...], octets: UInt8(octets))
    firstPath = Self.place(Int(window.firstPathOffset), in: taps)
  }

  private static func place(_ offset: Int, in taps: PackedTaps) -> Int? {
    offset < taps.count ? offset : nil
  }
}

extension FrameReport {
  /// Appends the windows of a frame that was received.
  ///
  /// - Returns: how many could not be read.
  func read(_ windows: inout [TapWindow]) -> Int {
    var unreadable = 0
    for index in fields.indices {
      switch fields[index].value {
      case .impulseResponses(let list):
        windows.reserveCapacity(windows.count + list.count)
        for response in list { windows.append(TapWindow(response)) }
      case .windows(let list):
        for (receiver, window) in list.enumerated() {
          if let read = TapWindow(window, receiver: receiver) { windows.append(read) } else { unreadable += 1 }
        }
      case .other where fields[index].type == 2 || fields[index].type == 7: unreadable += 1
      default: break
      }
    }
    return unreadable
  }

  /// Whether a window can be read.
  var hasWindows: Bool {
    var windows: [TapWindow] = []
    _ = read(&windows)
    return !windows.isEmpty
  }

  /// Who sent the frame, where the chip says so.
  var emitter: UInt16? {
    // By index: each field that is taken out of the array is copied.
    for index in fields.indices { if case .emitter(let address) = fields[index].value { return address } }
    return nil
  }

  func metrics(of id: SegmentID) -> SegmentMetrics? {
    for index in fields.indices {
      guard case .metrics(let list) = fields[index].value else { continue }
      if let found = list.first(where: { $0.id.segment == id.segment && $0.id.receiver == id.receiver }) {
        return found
      }
    }
    return nil
  }
}

extension Reception {
  /// The windows of one frame as a reception: those of the preamble where there are any, else of the first segment there is; a row for each
  /// receiver, the primary one first.
  ///
  /// Taps are taken to lie `UWB.tap` apart, as in the chips whose diagnostics are described.
  ///
  /// - Parameter rows: all windows of the frame; afterwards those that make the reception.
  /// - Returns: a message of which the reception is known, `nil` where there is no tap.
  static func joining(_ rows: inout [TapWindow], of report: FrameReport) -> RangingMessage? {
    guard let segment = rows.lazy.filter({ $0.taps.count > 0 }).map(\.id.segment).min() else {
      rows.removeAll()
      return nil
    }
    rows.removeAll { $0.id.segment != segment || $0.taps.count == 0 }
    if rows.count > 1 { order(&rows) }
    var message = RangingMessage()
    message.receive { reception in
      reception.chipFirstPathTaps = rows[0].firstPath.map(Double.init)
      reception.impulseResponse = ChannelImpulseResponse(rows)
      // Each receiver cuts its window round its own first path.
      if rows.count > 1, rows.allSatisfy({ $0.firstPath != nil }) {
        reception.antennaFirstPathTaps = rows.map { Double($0.firstPath ?? 0) }
      }
      guard let metrics = report.metrics(of: rows[0].id) else { return }
      reception.receivedPowerdBm = metrics.level
      reception.firstPathPowerdBm = metrics.firstPath.level
    }
    return message
  }

  /// The primary receiver first, and of each receiver the first window alone, if it has the first one's shape.
  private static func order(_ rows: inout [TapWindow]) {
    rows.sort { first, second in
      first.id.isPrimaryReceiver == second.id.isPrimaryReceiver
        ? first.id.receiver < second.id.receiver : first.id.isPrimaryReceiver
    }
    let first = rows[0].taps
    // A bit for each of the sixteen receivers that a window can name.
    var receivers: UInt16 = 0
    rows.removeAll { window in
      guard window.taps.count == first.count, window.taps.octets == first.octets else { return true }
      let bit: UInt16 = 1 << window.id.receiver
      defer { receivers |= bit }
      return receivers & bit != 0
    }
  }
}

extension ChannelImpulseResponse {
  /// - Parameter rows: a window of each receiver, all of one shape.
  fileprivate init(_ rows: [TapWindow]) {
    let tapCount = rows[0].taps.count
    let format: SampleFormat = Int(rows[0].taps.octets) <= SampleFormat.int16.byteCount ? .int16 : .float32
    let storage = TapStorage(byteCount: rows.count * tapCount * format.byteCount)
    storage.withMutableBytes { bytes in
      var offset = 0
      for row in rows {
        row.taps.decode { tap in
          switch format {
          case .int16:
            let parts = SIMD2<Int16>(clamping: tap)
            let words = SIMD2(parts.x.littleEndian, parts.y.littleEndian)
            bytes.storeBytes(of: words, toByteOffset: offset, as: SIMD2<Int16>.self)
          case .float32:
            let words = SIMD2(Float(tap.x).bitPattern.littleEndian, Float(tap.y).bitPattern.littleEndian)
            bytes.storeBytes(of: words, toByteOffset: offset, as: SIMD2<UInt32>.self)
          }
          offset += format.byteCount
        }
      }
    }
    self.init(storage: storage, format: format, antennaCount: rows.count, tapCount: tapCount)
  }
}
