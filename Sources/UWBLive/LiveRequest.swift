import Foundation

/// What of an HTTP request decides the answer.
package struct LiveRequest: Sendable {
  /// `GET`, …
  package var method: String
  /// Path and query, as they were sent.
  package var target: String
  /// All values of the header `Host`.
  package var hosts: [String]
  /// All values of the header `Origin`.
  package var origins: [String]
  /// The header `Sec-Fetch-Site`, which browsers add themselves.
  package var fetchSite: String?
  /// The header `Sec-Fetch-Mode`.
  package var fetchMode: String?
  /// Whether a body came with it.
  package var hasBody: Bool

  /// - Parameters:
  ///   - method: `GET`, …
  ///   - target: path and query
  ///   - hosts: all values of `Host`
  ///   - origins: all values of `Origin`
  ///   - fetchSite: `Sec-Fetch-Site`
  ///   - fetchMode: `Sec-Fetch-Mode`
  ///   - hasBody: whether a body came with it
  package init(
    method: String, target: String, hosts: [String], origins: [String] = [], fetchSite: String? = nil,
    fetchMode: String? = nil, hasBody: Bool = false
  ) {
    self.method = method
    self.target = target
    self.hosts = hosts
    self.origins = origins
    self.fetchSite = fetchSite
    self.fetchMode = fetchMode
    self.hasBody = hasBody
  }
}

/// What a request is answered with.
package enum LiveRoute: Sendable, Hashable {
  /// A file of the page.
  case file(LivePageFile)
  /// The ndjson stream.
  case events
  /// The states that the page draws, as server-sent events; of this device's view, if one is named.
  case live(device: String?)
  /// Counts for Prometheus.
  case metrics
  /// An HTTP status, and why.
  case refusal(status: Int, reason: String)
}

/// Decides which requests are answered, and with what.
///
/// A page of another site must not read the stream. Its requests carry an `Origin` or `Sec-Fetch-Site` that tells. A name of its own that
/// leads to this machine (DNS rebinding) shows in `Host`: only addresses, `localhost` and the names given here are taken.
package struct LiveGate: Sendable {
  /// Longest path and query that is read.
  package static let maximumTargetLength = 1024
  private let names: Set<String>

  /// - Parameter names: host names, beside `localhost`, by which this server may be called
  package init(names: [String]) {
    self.names = Set((names + ["localhost"]).map { $0.lowercased() })
  }

  /// The answer to a request.
  package func route(_ request: LiveRequest) -> LiveRoute {
    guard request.method == "GET" || request.method == "HEAD" else {
      return .refusal(status: 405, reason: "Only GET and HEAD are answered.")
    }
    guard !request.hasBody else { return .refusal(status: 400, reason: "A request must have no body.") }
    guard request.hosts.count == 1, isKnown(request.hosts[0]) else {
      return .refusal(
        status: 403,
        reason: "This host name is not served. Use the address that uwb serve printed, or give --host NAME.")
    }
    guard isSameOrigin(request) else {
      return .refusal(status: 403, reason: "Pages of other sites can't read this stream.")
    }
    guard request.target.utf8.count <= Self.maximumTargetLength, request.target.utf8.first == UInt8(ascii: "/") else {
      return .refusal(status: 400, reason: "The path is too long, or no path.")
    }
    let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts[0])
    switch path {
    case "/events": return .events
    case "/live": return .live(device: parts.count > 1 ? Self.device(in: parts[1]) : nil)
    case "/metrics": return .metrics
    default:
      guard let file = LivePageFile(path: path) else {
        return .refusal(status: 404, reason: "There are /, /events, /live and /metrics.")
      }
      return .file(file)
    }
  }

  /// Whether `host`, with or without a port, is an address or a name of this server.
  func isKnown(_ host: String) -> Bool {
    guard let name = Self.name(of: host) else { return false }
    return names.contains(name) || Self.isAddress(name)
  }

  private func isSameOrigin(_ request: LiveRequest) -> Bool {
    guard request.origins.count <= 1 else { return false }
    if let origin = request.origins.first {
      // The server itself knows no TLS; a proxy before it may.
      guard let host = ["http://", "https://"].lazy.compactMap({ Self.suffix(of: origin, after: $0) }).first,
        host.lowercased() == request.hosts[0].lowercased()
      else { return false }
    }
    switch request.fetchSite {
    case nil, "same-origin", "none": return true
    // Who follows a link to the page reads nothing of it elsewhere.
    default: return request.fetchMode == "navigate"
    }
  }

  private static func suffix(of text: String, after prefix: String) -> String? {
    text.lowercased().hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  /// The name or address of `name:port`, in lower case; `nil` where it is none.
  private static func name(of host: String) -> String? {
    guard host.utf8.count <= 255, !host.isEmpty else { return nil }
    var name = Substring(host.lowercased())
    if name.first == "[" {
      guard let end = name.lastIndex(of: "]") else { return nil }
      guard isPort(name[name.index(after: end)...]) else { return nil }
      return String(name[...end])
    }
    if let colon = name.firstIndex(of: ":") {
      guard isPort(name[colon...]) else { return nil }
      name = name[..<colon]
    }
    if name.last == "." { name = name.dropLast() }
    return name.isEmpty ? nil : String(name)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && text.dropFirst().allSatisfy { $0.isASCII && $0.isNumber } && text.count <= 6
  }

  /// Dotted numbers or an IPv6 address in brackets: what no name server can answer for.
  private static func isAddress(_ name: String) -> Bool {
    if name.first == "[" {
      let inside = name.dropFirst().dropLast()
      return inside.contains(":") && inside.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && $0.allSatisfy(\.isNumber) }
  }

  /// The value of `device` in a query, percent-decoded.
  private static func device(in query: Substring) -> String? {
    for item in query.split(separator: "&") where item.hasPrefix("device=") {
      return String(item.dropFirst(7)).replacing("+", with: "%20").removingPercentEncoding
    }
    return nil
  }
}
