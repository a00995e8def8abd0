import UWBTypes

/// Peers' addresses as text, kept for the rows that follow.
struct PeerText {
  private static let mostPeers = 256
  private var texts: [DeviceAddress: String] = [:]

  subscript(_ peer: DeviceAddress) -> String {
    mutating get {
      if let text = texts[peer] { return text }
      if texts.count >= Self.mostPeers { texts.removeAll(keepingCapacity: true) }
      let text = "\(peer)"
      texts[peer] = text
      return text
    }
  }
}
