#if !os(Windows)
  import UWBTypes

  /// What comes from a port, piece by piece, for asynchronous code. It ends where the other end or this one closes.
  ///
  /// A thread reads; a slow consumer holds it back, so that no more than `BytePort.backlogLimit` bytes and a piece wait.
  public struct PortBytes: AsyncSequence, Sendable {
    fileprivate final class Backlog: Sendable {
      private let count = StateLock(0)

      func add(_ bytes: Int) -> Bool {
        count.withLock { count in
          count += bytes
          return count < BytePort.backlogLimit
        }
      }

      func hasRoom() -> Bool { add(0) }
    }

    private let port: BytePort
    private let backlog = Backlog()
    private let stream: AsyncThrowingStream<[UInt8], any Error>

    init(_ port: BytePort) {
      self.port = port
      let backlog = backlog
      stream = AsyncThrowingStream { continuation in
        continuation.onTermination = { _ in port.close() }
        do throws(PortError) {
          try PortThread.start { Self.read(port, backlog, into: continuation) }
        } catch {
          continuation.finish(throwing: error)
        }
      }
    }

    private static func read(
      _ port: BytePort, _ backlog: Backlog, into continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
      while true {
        do throws(PortError) {
          let bytes = try port.receive(isReading: backlog.hasRoom())
          guard !bytes.isEmpty else { continue }
          _ = backlog.add(bytes.count)
          continuation.yield(bytes)
        } catch {
          switch error {
          case .closed, .disconnected: return continuation.finish()
          default: return continuation.finish(throwing: error)
          }
        }
      }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var base: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
      fileprivate let port: BytePort
      fileprivate let backlog: Backlog

      public mutating func next() async throws -> [UInt8]? {
        guard let bytes = try await base.next() else { return nil }
        let wasFull = !backlog.hasRoom()
        if backlog.add(-bytes.count), wasFull { port.wake() }
        return bytes
      }
    }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: stream.makeAsyncIterator(), port: port, backlog: backlog)
    }
  }

  extension BytePort {
    /// What comes from the port. To be asked for once: from then on a thread of its own receives, and the port closes when its consumer ends.
    public var bytes: PortBytes { PortBytes(self) }
  }
#endif
