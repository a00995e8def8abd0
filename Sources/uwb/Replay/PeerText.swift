import UWBTypes

/// A peer's address as text, kept for the rows that follow.
struct PeerText {
  private var last: (peer: DeviceAddress, text: String)?

  subscript(_ peer: DeviceAddress) -> String {
    mutating get {
      if let last, last.peer == peer { return last.text }
      let text = "\(peer)"
      last = (peer, text)
      return text
    }
  }
}
