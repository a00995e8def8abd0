import Testing
import UWBLive

@Suite struct LiveGateTests {
  private let gate = LiveGate(names: ["radar.example", "127.0.0.1"])

  private func request(_ target: String, host: String = "127.0.0.1:8080") -> LiveRequest {
    LiveRequest(method: "GET", target: target, hosts: [host])
  }

  private func status(_ route: LiveRoute) -> Int {
    if case .refusal(let status, _) = route { status } else { 200 }
  }

  @Test("each path has its answer")
  func paths() {
    #expect(gate.route(request("/")) == .file(.page))
    #expect(gate.route(request("/?x=1")) == .file(.page))
    #expect(gate.route(request("/live.js")) == .file(.script))
    #expect(gate.route(request("/events")) == .events)
    #expect(gate.route(request("/metrics")) == .metrics)
    #expect(gate.route(request("/live")) == .live(device: nil))
    #expect(gate.route(request("/live?device=anna%20b")) == .live(device: "anna b"))
    #expect(gate.route(request("/live?device=%FF")) == .live(device: nil))
    for path in ["/nothing", "/../etc/passwd", "//events", "/events/", "/%65vents"] {
      #expect(status(gate.route(request(path))) == 404, "\(path)")
    }
    for path in ["", "*", "http://127.0.0.1/", "/" + String(repeating: "a", count: 5000)] {
      #expect(status(gate.route(request(path))) == 400, "\(path.prefix(20))")
    }
  }

  @Test("addresses and names of its own are served; a name that leads here from elsewhere is not")
  func hosts() {
    for host in [
      "127.0.0.1", "127.0.0.1:8080", "[::1]:8080", "[::1]", "localhost:1", "LOCALHOST", "localhost.", "192.168.1.7:80",
      "Radar.Example:8080",
    ] {
      #expect(gate.route(request("/events", host: host)) == .events, "\(host)")
    }
    for host in [
      "", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example", "1.2.3", "1.2.3.4.5",
      "256.1.1.1", "+1.1.1.1", "[::1].evil", "[evil]", "[", "[]", "127.0.0.1:80:80", "127.0.0.1:x", ":8080", "a b",
      String(repeating: "1", count: 300),
    ] {
      #expect(status(gate.route(request("/events", host: host))) == 403, "\(host.prefix(40))")
    }
    var two = request("/events")
    two.hosts = ["127.0.0.1", "evil.example"]
    #expect(status(gate.route(two)) == 403)
    two.hosts = []
    #expect(status(gate.route(two)) == 403)
  }

  @Test("pages of other sites read nothing; a link to the page works")
  func origins() {
    var own = request("/live")
    own.origins = ["http://127.0.0.1:8080"]
    own.fetchSite = "same-origin"
    #expect(status(gate.route(own)) == 200)
    for origin in ["http://evil.example", "null", "http://127.0.0.1:9090", "http://127.0.0.1", "file://", ""] {
      var other = request("/live")
      other.origins = [origin]
      #expect(status(gate.route(other)) == 403, "\(origin)")
    }
    for site in ["cross-site", "same-site", "?"] {
      var other = request("/events")
      other.fetchSite = site
      other.fetchMode = "no-cors"
      #expect(status(gate.route(other)) == 403, "\(site)")
      other.fetchMode = "navigate"
      #expect(status(gate.route(other)) == 200, "\(site)")
    }
  }

  @Test("nothing can be changed: only GET and HEAD, without a body")
  func methods() {
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", ""] {
      var other = request("/")
      other.method = method
      #expect(status(gate.route(other)) == 405, "\(method)")
    }
    var head = request("/")
    head.method = "HEAD"
    #expect(status(gate.route(head)) == 200)
    head.hasBody = true
    #expect(status(gate.route(head)) == 400)
  }

  @Test("files of the page are there, and load nothing from elsewhere")
  func files() {
    for file in LivePageFile.allCases {
      let text = String(decoding: file.bytes, as: UTF8.self)
      #expect(text.count > 500, "\(file)")
      let outside = text.replacing("http://www.w3.org/2000/svg", with: "").contains("//www")
      #expect(!outside && !text.contains("https:") && !text.contains("src=\"http"), "\(file)")
    }
    let policy = LivePageFile.protection.first { $0.name == "Content-Security-Policy" }?.value ?? ""
    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
    #expect(!LivePageFile.protection.contains { $0.name.hasPrefix("Access-Control") })
  }
}
