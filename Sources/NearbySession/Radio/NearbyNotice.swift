/// What one end of a session tells the other by the app's own transport: 26 bytes, the token's check included.
///
/// Notices are best effort; an app that carries none works by timeouts. A host's `linkChanges` say when a session has ended.
public enum NearbyNotice: Sendable, Hashable {
  /// The sender's session with this token has ended.
  case peerEnded(DiscoveryToken)
  /// The accessory with this token ranges no more.
  case accessoryStopped(DiscoveryToken)

  static let version: UInt8 = 1

  /// Token of the sender's session.
  public var token: DiscoveryToken {
    switch self {
    case .peerEnded(let token), .accessoryStopped(let token): token
    }
  }

  /// For the app's transport: version, kind, token.
  public var bytes: [UInt8] {
    switch self {
    case .peerEnded(let token): [Self.version, 1] + token.encoded
    case .accessoryStopped(let token): [Self.version, 2] + token.encoded
    }
  }

  /// Reads what `bytes` gave; any other bytes throw.
  public init(bytes: some Sequence<UInt8>) throws(DiscoveryTokenError) {
    let bytes = [UInt8](bytes)
    let expected = 2 + DiscoveryToken.encodedLength
    guard bytes.count == expected else { throw .length(actual: bytes.count, expected: expected) }
    guard bytes[0] == Self.version else { throw .unsupportedVersion(bytes[0]) }
    let token = try DiscoveryToken(encoded: bytes[2...])
    switch (bytes[1], token.kind) {
    case (1, .session): self = .peerEnded(token)
    case (2, .accessory): self = .accessoryStopped(token)
    default: throw .unknownKind(bytes[1])
    }
  }
}

extension NearbyHost {
  /// Takes a notice that the app's transport has brought.
  public func receive(notice: some Sequence<UInt8>) throws(DiscoveryTokenError) {
    peerEnded(try NearbyNotice(bytes: notice).token)
  }
}
