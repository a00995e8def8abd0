import Foundation
import Testing
import UWBPlatform

/// A connection to a server on this machine, byte by byte.
final class LoopbackClient {
  private let descriptor: Int32
  private(set) var received: [UInt8] = []
  private(set) var isAtEnd = false

  /// - Parameter receiveBuffer: bytes that the system keeps for it
  init(port: Int, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(descriptor >= 0)
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
  }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// The status of the first answer.
  var status: Int? { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Whatever the server does with it: a connection that it has closed is no failure here.
  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        UWBPlatform.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  func get(_ path: String, headers: String = "") {
    send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)\r\n")
  }

  /// Reads until `isEnough`, or the end; fails after a minute.
  @discardableResult
  func read(until isEnough: (LoopbackClient) -> Bool = { _ in false }) throws -> LoopbackClient {
    let end = ContinuousClock.now + .seconds(60)
    while !isEnough(self), !isAtEnd {
      try #require(ContinuousClock.now < end, "still waiting after \(text.suffix(300))")
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 200) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      if count > 0 { received += bytes[..<count] } else { isAtEnd = true }
    }
    return self
  }

  /// The lines of JSON. Lengths of chunks stand between them, on lines of their own.
  var lines: [String] {
    received.split(separator: UInt8(ascii: "\n")).filter { $0.first == UInt8(ascii: "{") }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  deinit { close(descriptor) }
}
