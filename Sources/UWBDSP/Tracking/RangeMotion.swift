#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a step of time does to a distance and its rate, where the rate is an Ornstein–Uhlenbeck process: pushed about by white
/// acceleration of density q, and never far above the speed s that people have, τ = 2·s²/q being the time it forgets itself in.
///
///     hold h = exp(−Δ/τ)          x ← x + carry·v, v ← hold·v
///     carry g = τ·(1 − h)         yy = q·τ/2·(1 − h²), xy = q·τ²/2·(1 − h)², xx = q·τ³/2·(2·Δ/τ − 3 + 4·h − h²)
///
/// With s = ∞ that is the constant velocity model with white acceleration (Bar-Shalom, Li & Kirubarajan 2001, 6.2.2); the process itself
/// is Uhlenbeck & Ornstein's (Physical Review 36, 1930). Over a gap of seconds it says where the peer can be by now: a walk away, not more.
struct RangeMotion: Sendable, Hashable {
  let hold: Double
  /// s
  let carry: Double
  /// m², m²/s, m²/s²
  let xx: Double
  let xy: Double
  let yy: Double

  /// - Parameters:
  ///   - step: s, not negative
  ///   - acceleration: √q, m/s² over a second
  ///   - speed: standard deviation of the rate in the long run, m/s
  init(step: Double, acceleration: Double, speed: Double) {
    let q = acceleration * acceleration
    let rate = q / (2 * speed * speed)
    let x = rate * step
    guard x > 0 else {
      hold = 1
      carry = step
      xx = q * step * step * step / 3
      xy = q * step * step / 2
      yy = q * step
      return
    }
    hold = exp(-x)
    carry = -expm1(-x) / rate
    yy = q / (2 * rate) * -expm1(-2 * x)
    xy = q / 2 * carry * carry
    // By the series where the formula would cancel: each is good to 10⁻⁸ at the border.
    xx =
      x < 0.02
      ? q * step * step * step / 3 * (1 + x * (-0.75 + x * (0.35 - x * 0.125)))
      : q / (2 * rate * rate * rate) * (2 * x - 3 + 4 * hold - hold * hold)
  }
}
