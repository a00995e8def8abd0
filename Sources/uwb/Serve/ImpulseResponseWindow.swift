import Numerics
import UWBDSP
import UWBLive

/// Cuts what a live page shows of a CIR: a few times a second, so that it costs next to nothing.
struct ImpulseResponseWindow {
  /// Taps before the first path.
  private static let leadCount = 24
  private static let tapCount = 160
  /// A page draws no oftener, s.
  private static let interval = 0.09
  private var next = -Double.infinity

  /// - Parameters:
  ///   - now: s, of any steady clock
  ///   - firstPath: where the first path is in the reception of `poll`, `response` or `final`, taps
  /// - Returns: the last CIR of the exchange; `nil` where there is none, or one was taken just now.
  mutating func take(
    _ exchange: RangingExchange, peer: String, now: Double, firstPath: (String, Reception) -> Double?
  ) -> LiveImpulseResponse? {
    guard now >= next else { return nil }
    let messages = [
      ("final", exchange.final?.reception), ("response", exchange.response?.reception),
      ("poll", exchange.poll.reception),
    ]
    for case (let message, let reception?) in messages {
      guard let response = reception.impulseResponse else { continue }
      next = now + Self.interval
      return Self.window(response, of: peer, message, firstPath(message, reception).ifFinite)
    }
    return nil
  }

  private static func window(
    _ response: ChannelImpulseResponse, of peer: String, _ message: String, _ firstPath: Double?
  ) -> LiveImpulseResponse {
    let all = response.samples(antenna: 0).map { $0.length.isFinite ? $0.length : 0 }
    let center = firstPath ?? Double(all.indices.max { all[$0] < all[$1] } ?? 0)
    let latest = max(0, all.count - tapCount)
    let start = min(latest, max(0, (Int(checked: center, rounded: .down) ?? 0) - leadCount))
    let shown = all[start..<min(all.count, start + tapCount)]
    let largest = shown.max() ?? 0
    return LiveImpulseResponse(
      peer: peer, message: message, startTap: start, tapSpacingNanoseconds: response.tapSpacing * 1e9,
      firstPathTaps: firstPath,
      // Three decimals are finer than a screen, and short in JSON.
      magnitudes: shown.map { largest > 0 ? ($0 / largest * 1000).rounded() / 1000 : 0 })
  }
}

extension FirstPaths {
  /// The first path in the reception of the message of that name.
  func taps(of message: String) -> Double? {
    switch message {
    case "final": final
    case "response": response
    default: poll
    }
  }
}
