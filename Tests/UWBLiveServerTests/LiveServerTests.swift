import Foundation
import Testing
import UWBLive
import UWBLiveServer

/// A server on a free port of loopback, until its test ends.
final class TestServer {
  let feed: LiveFeed
  let server: LiveServer
  private var isStopped = false

  init(_ change: (inout LiveServerSettings) -> Void = { _ in }) throws {
    var settings = LiveServerSettings()
    settings.port = 0
    settings.tickSeconds = 0.005
    change(&settings)
    feed = LiveFeed(LiveState(title: "test", kind: .replay, devices: ["a", "b"]))
    server = try LiveServer(feed, settings)
  }

  func publish(_ number: Int) { feed.publish(Array("{\"event\":\"update\",\"n\":\(number)}\n".utf8)) }

  func client(receiveBuffer: Int32? = nil) throws -> LoopbackClient {
    try LoopbackClient(port: server.port, receiveBuffer: receiveBuffer)
  }

  func eventually(_ what: Comment, _ isSo: (LiveServerCounts) -> Bool) throws {
    let end = ContinuousClock.now + .seconds(60)
    while !isSo(server.counts) {
      try #require(ContinuousClock.now < end, what)
      Thread.sleep(forTimeInterval: 0.002)
    }
  }

  func stop() {
    if !isStopped { server.stop() }
    isStopped = true
  }

  deinit { stop() }
}

/// The same numbers each time (SplitMix64).
struct TestGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite(.timeLimit(.minutes(3))) struct LiveServerTests {
  @Test("the page and its files come with their types and protection, one connection for several requests")
  func page() throws {
    let test = try TestServer()
    for file in LivePageFile.allCases {
      let client = try test.client()
      client.get(file.rawValue)
      client.get("/metrics")
      client.get("/nothing")
      try client.read()
      #expect(client.text.hasPrefix("HTTP/1.1 200"))
      #expect(
        client.text.contains(file.contentType) && client.text.contains("Content-Security-Policy: default-src 'none'"))
      #expect(client.text.contains(String(decoding: file.bytes, as: UTF8.self)))
      #expect(client.text.contains("uwb_exchanges_total 0") && client.text.contains("HTTP/1.1 404"))
      #expect(!client.text.lowercased().contains("access-control"))
    }
    let head = try test.client()
    head.send("HEAD /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    try head.read()
    #expect(head.status == 200 && head.text.hasSuffix("\r\n\r\n"))
  }

  @Test("other hosts, other sites, other methods and bodies are refused, and the connection ends")
  func refusals() throws {
    let test = try TestServer()
    let host = "Host: 127.0.0.1\r\n"
    for (request, status) in [
      ("GET /events HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
      ("GET /events HTTP/1.1\r\n\r\n", 403),
      ("GET /live HTTP/1.1\r\n\(host)Origin: http://evil.example\r\n\r\n", 403),
      ("GET /live HTTP/1.1\r\n\(host)Sec-Fetch-Site: cross-site\r\n\r\n", 403),
      ("POST / HTTP/1.1\r\n\(host)Content-Length: 3\r\n\r\nabc", 405),
      ("GET / HTTP/1.1\r\n\(host)Content-Length: 3\r\n\r\nabc", 400),
      ("GET / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", 400),
      ("nonsense\r\n\r\n", 400),
      ("GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 20000))\r\n\r\n", 431),
    ] {
      let client = try test.client()
      client.send(request)
      try client.read()
      // What is no request at all may also end without a word.
      let isRight =
        client.status == status || status != 403 && status != 405 && [400, 431, nil].contains(client.status)
      #expect(isRight, "\(request.prefix(80)): \(client.text.prefix(80))")
      #expect(!client.text.contains("data: {") && !client.text.contains("200 OK"))
    }
    #expect(test.server.counts.answers[403] == 4)
  }

  @Test("readers get every line from their first on, and the end of the stream")
  func events() throws {
    let test = try TestServer()
    let clients = try (0..<5).map { _ in
      let client = try test.client()
      client.get("/events")
      return client
    }
    try test.eventually("no readers") { $0.lineClients == 5 }
    for number in 0..<2000 { test.publish(number) }
    test.feed.change { $0.finish("over") }
    for client in clients {
      try client.read()
      #expect(client.lines == (0..<2000).map { "{\"event\":\"update\",\"n\":\($0)}" })
      #expect(client.text.contains("application/x-ndjson") && client.text.hasSuffix("0\r\n\r\n"))
    }
    try test.eventually("readers stay") { $0.connections == 0 && $0.lineClients == 0 }
  }

  @Test("a page gets the state at once, a new one when something changes, that of the device it asks for")
  func live() throws {
    let test = try TestServer()
    let client = try test.client()
    client.get("/live?device=b")
    try client.read { $0.text.contains("data: {") }
    #expect(client.text.contains("text/event-stream") && client.text.contains("\"device\":\"b\""))
    test.feed.change { $0.note(LiveEvent(time: 1, peer: "p", text: "hello"), of: "b") }
    try client.read { $0.text.contains("hello") }
    test.feed.change { $0.finish("done") }
    try client.read { $0.text.contains("\"end\":\"done\"") }
    #expect(test.server.counts.pageClients == 1)
  }

  @Test("a client that takes nothing loses the oldest lines, is told so, and costs the others nothing")
  func stalled() throws {
    let test = try TestServer { $0.queueBytes = 100_000 }
    let (slow, quick) = (try test.client(receiveBuffer: 4096), try test.client())
    for client in [slow, quick] { client.get("/events") }
    try test.eventually("no readers") { $0.lineClients == 2 }
    let padding = String(repeating: "x", count: 10_000)
    for number in 0..<300 {
      test.feed.publish(Array("{\"n\":\(number),\"padding\":\"\(padding)\"}\n".utf8))
      let next = "{\"n\":\(number),"
      try quick.read { String(decoding: $0.received.suffix(11_000), as: UTF8.self).contains(next) }
    }
    test.feed.change { $0.finish("over") }
    #expect(quick.lines.count == 300)
    let dropped = test.server.counts.droppedLines
    #expect(dropped > 0)
    try slow.read()
    let lines = slow.lines
    let told = lines.filter { $0.contains("\"dropped\"") }.compactMap { Int($0.filter(\.isNumber)) }
    #expect(told.reduce(0, +) == dropped && lines.count - told.count == 300 - dropped)
    #expect(lines.last?.contains("\"n\":299,") == true)
  }

  @Test("a client that never takes anything is let go")
  func neverTakes() throws {
    let test = try TestServer { $0.stallSeconds = 0.05 }
    let client = try test.client(receiveBuffer: 4096)
    client.get("/events")
    try test.eventually("no reader") { $0.lineClients == 1 }
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000) + [UInt8(ascii: "\n")]
    try test.eventually("it is kept") { counts in
      test.feed.publish(line)
      return counts.timedOut == 1 && counts.connections == 0
    }
    withExtendedLifetime(client) {}
  }

  @Test("a client that vanishes is forgotten; one that never asks is closed")
  func vanishing() throws {
    let test = try TestServer { $0.requestSeconds = 0.05 }
    var client: LoopbackClient? = try test.client()
    client?.get("/live")
    try test.eventually("no page") { $0.pageClients == 1 }
    client = nil
    try test.eventually("it stays") { $0.pageClients == 0 && $0.connections == 0 }
    let silent = try test.client()
    silent.send("GET / HTTP/1.1\r\nHost: 127.0.")
    try silent.read()
    #expect(silent.isAtEnd && test.server.counts.timedOut == 1)
  }

  @Test("connections beyond the limit are closed; room that was left is used again")
  func limit() throws {
    let test = try TestServer { $0.maximumConnectionCount = 3 }
    var clients = try (0..<3).map { _ in
      let client = try test.client()
      client.get("/live")
      return client
    }
    try test.eventually("no pages") { $0.pageClients == 3 }
    let further = try test.client()
    further.get("/live")
    try further.read()
    #expect(further.received.isEmpty && test.server.counts.refused == 1)
    clients.removeLast()
    try test.eventually("it stays") { $0.connections == 2 }
    let next = try test.client()
    next.get("/metrics", headers: "Connection: close\r\n")
    #expect(try next.read().status == 200)
  }

  @Test("the end is told: pages hear it, readers get what was left, and nobody is waited for in vain")
  func end() throws {
    let test = try TestServer { $0.tickSeconds = 3600 }
    let (page, reader, idle) = (try test.client(), try test.client(), try test.client())
    page.get("/live")
    reader.get("/events")
    try test.eventually("no clients") { $0.pageClients == 1 && $0.lineClients == 1 && $0.connections == 3 }
    test.publish(7)
    test.stop()
    #expect(try page.read().text.contains("event: bye"))
    #expect(try reader.read().lines == ["{\"event\":\"update\",\"n\":7}"])
    try idle.read()
    #expect(page.isAtEnd && reader.isAtEnd && idle.isAtEnd)
  }

  @Test("a port that is taken, or no address, is told with its remedy")
  func taken() throws {
    let test = try TestServer()
    for (host, port) in [("127.0.0.1", test.server.port), ("192.0.2.1", 0)] {
      var settings = LiveServerSettings()
      settings.host = host
      settings.port = port
      do {
        _ = try LiveServer(test.feed, settings)
        Issue.record("it listens on \(host)")
      } catch {
        #expect("\(error)".contains("--port") && "\(error)".contains(host), "\(error)")
      }
    }
  }

  @Test("bytes at random and requests with changed bytes end in nothing worse than a refusal")
  func hostile() throws {
    let test = try TestServer { $0.requestSeconds = 0.2 }
    var generator = TestGenerator(state: 1)
    let seed = Array(
      "GET /live?device=a HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Length: 0\r\n\r\n".utf8)
    for round in 0..<300 {
      let client = try test.client()
      var bytes = round.isMultiple(of: 3) ? (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) } : seed
      for _ in 0..<Int.random(in: 1...8, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch round % 4 {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
        default: bytes.removeLast(bytes.count - index)
        }
      }
      client.send(bytes)
    }
    try test.eventually("they stay") { $0.connections == 0 }
    let after = try test.client()
    after.get("/metrics", headers: "Connection: close\r\n")
    #expect(try after.read().status == 200)
  }
}
