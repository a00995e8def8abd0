extension DecaRangingLog {
  /// Whether the start of a stream is such a log.
  ///
  /// A log that was cut at its start, or a live one that is joined late, may begin anywhere, even inside an accumulator:
  /// any line that only DecaRanging writes decides.
  static func recognise(_ start: Span<UInt8>) -> CaptureFormat.Recognition {
    // JSON that was made of a log quotes its head.
    for index in 0..<start.count where ![0x20, 0x09, 0x0A, 0x0D].contains(start[index]) {
      if "{[".utf8.contains(start[index]) { return .no }
      break
    }
    if ByteText.contains(anyOf: ["created by DecaRanging", "RX OK WInd(", "Accum Len ", "Anchor ToF: "], in: start) {
      return .yes
    }
    if let end = ByteText.end(of: " Rx time = ", in: start), end >= 16,
      ByteText.hexadecimal(start, at: end - 16, count: 2) != nil
    {
      return .yes
    }
    return .undecided
  }
}
