/// Remembers tokens whose sessions are gone, the latest 4096, so that a run with one of them is refused.
struct EndedTokens: Sendable {
  static let capacity = 4096

  private var tokens: Set<DiscoveryToken> = []
  private var order: [DiscoveryToken] = []
  private var oldest = 0

  func contains(_ token: DiscoveryToken) -> Bool {
    tokens.contains(token)
  }

  mutating func insert(_ token: DiscoveryToken) {
    guard tokens.insert(token).inserted else { return }
    if order.count < Self.capacity {
      order.append(token)
    } else {
      tokens.remove(order[oldest])
      order[oldest] = token
      oldest = (oldest + 1) % Self.capacity
    }
  }
}
