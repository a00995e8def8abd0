/// What a simulated chip's receiver saw of a round, in the layouts that chips send.
public struct SimulatedDiagnostics: Sendable {
  /// Whose layout the diagnostics have.
  public enum Layout: String, Sendable, Hashable, CaseIterable {
    /// The layout of Android, or that of Qorvo.
    case android, qorvo
  }

  /// One received frame.
  public struct Frame: Sendable, Hashable {
    /// 0 poll, 1 response, 2 final
    public var message: UInt8
    /// Short MAC address of the sender.
    public var sender: UInt16
    /// By receiver: windows of the impulse response, as many taps each.
    public var windows: [[SIMD2<Int16>]]
    /// Where the chip's own first path lies in each window, taps.
    public var firstPath: UInt8

    /// Creates one with the given values.
    public init(message: UInt8, sender: UInt16, windows: [[SIMD2<Int16>]], firstPath: UInt8) {
      self.message = message
      self.sender = sender
      self.windows = windows
      self.firstPath = firstPath
    }
  }

  private let token: UInt32
  private let sequence: UInt32
  private let frames: [Frame]

  init(_ frames: [Frame], of token: UInt32, _ sequence: UInt32) {
    self.token = token
    self.sequence = sequence
    self.frames = frames
  }

  var qorvo: QorvoDiagnostics {
    var message = QorvoDiagnostics()
    message.diagnostics = envelope { frame in
      let responses = frame.windows.enumerated().map { receiver, taps in
        var response = SegmentImpulseResponse()
        response.id = SegmentID(rawValue: UInt8(truncatingIfNeeded: receiver << 4) | (receiver == 0 ? 8 : 0))
        response.firstPathOffset = -Int8(clamping: Int(frame.firstPath))
        response.taps = taps.map { SIMD2(Int64($0.x), Int64($0.y)) }
        return response
      }
      return [(5, .emitter(frame.sender)), (7, .impulseResponses(responses))]
    }
    return message
  }

  var android: AndroidDiagnostics {
    var message = AndroidDiagnostics()
    message.diagnostics = envelope { frame in
      let windows = frame.windows.map { taps in
        var window = PathWindow()
        window.firstPathOffset = frame.firstPath
        window.sampleCount = UInt8(clamping: taps.count)
        window.samples = taps.flatMap { tap in
          [tap.x, tap.y].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        }
        return window
      }
      return [(2, .windows(windows))]
    }
    return message
  }

  private func envelope(_ fields: (Frame) -> [(UInt8, DiagnosticField.Value)]) -> RangeDiagnostics {
    var diagnostics = RangeDiagnostics()
    (diagnostics.token, diagnostics.sequence) = (token, sequence)
    diagnostics.reports = frames.map { frame in
      var report = FrameReport()
      report.message = frame.message
      report.fields = fields(frame).map { type, value in
        var field = DiagnosticField()
        (field.type, field.value) = (type, value)
        return field
      }
      return report
    }
    return diagnostics
  }
}
