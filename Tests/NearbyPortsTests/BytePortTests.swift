import Foundation
import NearbyPorts
import Testing
import UWBPlatform

/// A path for a socket that no other test has; sockets' paths must be short.
func socketPath() -> String {
  "/tmp/uwb-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
}

/// Two ends of one connection.
func connectedPorts(_ address: PortAddress) throws -> (PortListener, BytePort, BytePort) {
  let listener = try PortListener(address)
  let client = try BytePort.open(listener.address)
  let server = try #require(try listener.accept(timeout: 60))
  return (listener, client, server)
}

/// Receives until `count` bytes are there.
func receive(_ count: Int, from port: BytePort) throws -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count < count {
    let piece = try port.receive(timeout: 60)
    try #require(!piece.isEmpty, "nothing came within a minute")
    bytes += piece
  }
  return bytes
}

@Suite struct BytePortTests {
  private static var addresses: [PortAddress] { [.unix(socketPath()), .tcp(host: "127.0.0.1", port: 0)] }

  @Test("bytes go both ways, over a Unix socket and over TCP; the end of one is told to the other")
  func sockets() throws {
    for address in Self.addresses {
      let (listener, client, server) = try connectedPorts(address)
      try client.send([1, 2, 3])
      #expect(try receive(3, from: server) == [1, 2, 3])
      try server.send([UInt8](4...255))
      #expect(try receive(252, from: client) == [UInt8](4...255))
      #expect(try client.receive(timeout: 0).isEmpty)
      try server.send([9])
      server.close()
      #expect(throws: PortError.closed(server.name)) { try server.send([1]) }
      #expect(try receive(1, from: client) == [9], "what was sent before the end arrives")
      #expect(throws: PortError.disconnected(client.name)) { try client.receive(timeout: 60) }
      listener.close()
    }
  }

  @Test("more than the system buffers goes while the sender receives; beyond the limit it is refused whole")
  func backlog() async throws {
    let (listener, client, server) = try connectedPorts(.unix(socketPath()))
    defer { listener.close() }
    let chunk = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    var sent = 0
    let refusal = #expect(throws: PortError.self) {
      while true {
        try client.send(chunk)
        sent += chunk.count
      }
    }
    guard case .backlog(_, let waiting) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(waiting <= BytePort.backlogLimit && waiting + chunk.count > BytePort.backlogLimit)
    let expected = sent
    async let received = PortThread.run { () throws(PortError) -> [UInt8] in
      var bytes: [UInt8] = []
      while bytes.count < expected { bytes += try server.receive(timeout: 60) }
      return bytes
    }
    // The client writes while it waits for what never comes, until the server says that it has all.
    async let flushed: Void = PortThread.run { () throws(PortError) in
      while try client.receive(timeout: 60).isEmpty {}
    }
    let bytes = try await received
    #expect(bytes.count == sent && bytes.prefix(chunk.count) == chunk[...] && bytes.suffix(chunk.count) == chunk[...])
    try server.send([1])
    try await flushed
  }

  @Test("a wait ends by waking, by closing and by the other end's going")
  func waiting() async throws {
    let (listener, client, server) = try connectedPorts(.unix(socketPath()))
    defer { listener.close() }
    async let woken = PortThread.run { () throws(PortError) in try client.receive() }
    client.wake()
    #expect(try await woken.isEmpty)
    let closed = Task { try await PortThread.run { () throws(PortError) in try client.receive() } }
    client.close()
    await #expect(throws: PortError.closed(client.name)) { try await closed.value }
    #expect(throws: PortError.disconnected(server.name)) { try server.receive(timeout: 60) }
    client.close()
  }

  @Test("many clients at once, through the asynchronous interface")
  func many() async throws {
    let listener = try PortListener(.unix(socketPath()))
    let server = Task {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for try await port in listener.connections {
          group.addTask { for try await piece in port.bytes { try port.send(piece) } }
        }
        try await group.waitForAll()
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<20 as Range<UInt8> {
        group.addTask {
          let port = try await PortThread.run { () throws(PortError) in try BytePort.open(listener.address) }
          let message = [UInt8](repeating: client, count: 5000 * Int(client))
          var back: [UInt8] = []
          try port.send(message)
          var pieces = port.bytes.makeAsyncIterator()
          while back.count < message.count, let piece = try await pieces.next() { back += piece }
          #expect(back == message)
          port.close()
        }
      }
      try await group.waitForAll()
    }
    listener.close()
    try await server.value
  }

  @Test("a consumer that is slow holds the sender back")
  func slow() async throws {
    let (listener, client, server) = try connectedPorts(.unix(socketPath()))
    defer { listener.close() }
    var pieces = server.bytes.makeAsyncIterator()
    let chunk = [UInt8](repeating: 7, count: 1 << 16)
    let sending = Task {
      try await PortThread.run { () throws(PortError) -> Int in
        for _ in 0..<128 {
          while true {
            do throws(PortError) {
              try client.send(chunk)
              break
            } catch .backlog {
              _ = try client.receive(timeout: 0.001)
            }
          }
        }
        while true {
          let answer = try client.receive(timeout: 60)
          if !answer.isEmpty { return answer.count }
        }
      }
    }
    var count = 0
    while count < 128 << 16, let piece = try await pieces.next() { count += piece.count }
    #expect(count == 128 << 16)
    try server.send([1])
    #expect(try await sending.value == 1)
  }
}

@Suite struct PortListenerTests {
  @Test("a path that a program left behind is taken over, one in use is not, and it goes with the listener")
  func paths() throws {
    let path = socketPath()
    let listener = try PortListener(.unix(path))
    #expect(throws: PortError.system("listen", "unix:\(path)", code: EADDRINUSE)) { try PortListener(.unix(path)) }
    listener.close()
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(throws: PortError.closed("unix:\(path)")) { try listener.accept() }
    #expect(throws: PortError.system("connect", "unix:\(path)", code: ENOENT)) { try BytePort.open(.unix(path)) }
    // A socket without a listener, as a program that was killed leaves it.
    let abandoned = socket(AF_UNIX, Int32(1), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafeBytes(of: &address) {
      bind(abandoned, $0.bindMemory(to: sockaddr.self).baseAddress, socklen_t($0.count))
    }
    #expect(bound == 0)
    close(abandoned)
    let second = try PortListener(.unix(path))
    #expect(try second.accept(timeout: 0) == nil)
    second.close()
  }

  @Test("a closed listener ends the wait of another thread")
  func closing() async throws {
    let listener = try PortListener(.tcp(host: "127.0.0.1", port: 0))
    let accepted = Task { try await PortThread.run { () throws(PortError) in try listener.accept() } }
    listener.close()
    await #expect(throws: PortError.self) { try await accepted.value }
  }
}

@Suite struct SerialPortTests {
  @Test("a pseudo-terminal carries every octet as it is, both ways, at every speed that there is")
  func raw() throws {
    let terminal = try PseudoTerminal()
    defer { terminal.close() }
    for speed in [9600, 115_200, 230_400] {
      let port = try BytePort.open(.serial(terminal.path), speed: speed)
      let all = [UInt8](0...255)
      try port.send(all)
      #expect(try receive(256, from: terminal.port) == all)
      try terminal.port.send(all)
      #expect(try receive(256, from: port) == all)
      port.close()
    }
    #expect(throws: PortError.unsupportedSpeed(7)) { try BytePort.open(.serial(terminal.path), speed: 7) }
  }

  @Test("the device has one user at a time, and outlives each; what was sent to one is not the next one's")
  func users() throws {
    let terminal = try PseudoTerminal()
    defer { terminal.close() }
    let port = try BytePort.open(.serial(terminal.path))
    #expect(throws: PortError.busy(terminal.path)) { try BytePort.open(.serial(terminal.path)) }
    try terminal.port.send([1, 2, 3])
    port.close()
    let next = try BytePort.open(.serial(terminal.path))
    try terminal.port.send([4])
    #expect(try receive(1, from: next) == [4])
  }

  @Test("an unplugged device ends reading with a typed error, and its path is no more")
  func unplugged() async throws {
    let terminal = try PseudoTerminal()
    defer { terminal.close() }
    let port = try BytePort.open(.serial(terminal.path))
    let waiting = Task { try await PortThread.run { () throws(PortError) in try port.receive() } }
    terminal.close()
    await #expect(throws: PortError.disconnected(terminal.path)) { try await waiting.value }
    #expect(throws: PortError.system("open it", terminal.path, code: ENOENT)) {
      try BytePort.open(.serial(terminal.path))
    }
  }

  @Test("a path that is not a serial device is refused with a remedy")
  func refused() {
    #expect(throws: PortError.notSerial("/dev/null")) { try BytePort.open(.serial("/dev/null")) }
  }
}

@Suite struct PortAddressTests {
  @Test(
    "addresses read and write the same",
    arguments: [
      ("/dev/ttyACM0", PortAddress.serial("/dev/ttyACM0")), ("unix:/tmp/a b", .unix("/tmp/a b")),
      ("tcp:localhost:7000", .tcp(host: "localhost", port: 7000)), ("tcp:[::1]:0", .tcp(host: "::1", port: 0)),
    ])
  func text(text: String, address: PortAddress) throws {
    #expect(try PortAddress(text) == address)
    #expect("\(address)" == text)
  }

  @Test("what is not an address is refused", arguments: ["", "unix:", "tcp:host", "tcp:host:99999", "tcp::1"])
  func refused(text: String) {
    #expect(throws: PortError.self) { try PortAddress(text) }
  }

  @Test("a Unix socket's path that is too long is refused")
  func long() {
    let path = String(repeating: "a", count: 200)
    #expect(throws: PortError.self) { try BytePort.open(.unix(path)) }
    #expect(throws: PortError.self) { try PortListener(.unix(path)) }
  }
}

@Suite struct FrameStreamTests {
  @Test("frames come out whole however their bytes are divided; one beyond the limit throws")
  func division() throws {
    let frames = [[UInt8](), [1], [UInt8](repeating: 2, count: 300)]
    let bytes = frames.flatMap { FrameStream.bytes(of: $0) }
    for piece in 1...bytes.count {
      var stream = FrameStream()
      var read: [[UInt8]] = []
      for start in stride(from: 0, to: bytes.count, by: piece) {
        read += try stream.push(bytes[start..<min(start + piece, bytes.count)])
      }
      #expect(read == frames)
    }
    var short = FrameStream(limit: 299)
    #expect(throws: PortError.frameTooLong(length: 300, limit: 299)) { try short.push(bytes) }
  }
}
