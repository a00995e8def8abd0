#if !os(Windows)
  import UWBPlatform

  /// Threads for calls that block: they would hold up others on Swift's cooperative pool.
  public enum PortThread {
    private final class Work: Sendable {
      let body: @Sendable () -> Void

      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own, which ends with it.
    ///
    /// - Throws: `PortError.system` where the system has no more threads.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(PortError) {
      let work = Unmanaged.passRetained(Work(body))
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      let code = pthread_create(&thread, nil, run, work.toOpaque())
      guard code == 0 else {
        work.release()
        throw .system("start a thread", "this process", code: code)
      }
      #if canImport(Glibc)
        pthread_detach(thread)
      #else
        if let thread { pthread_detach(thread) }
      #endif
    }

    /// The result of `body`, which may block.
    public static func run<Value: Sendable>(
      _ body: @escaping @Sendable () throws(PortError) -> Value
    ) async throws(PortError) -> Value {
      let result: Result<Value, PortError> = await withCheckedContinuation { continuation in
        do throws(PortError) {
          try start {
            do throws(PortError) {
              continuation.resume(returning: .success(try body()))
            } catch {
              continuation.resume(returning: .failure(error))
            }
          }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
      return try result.get()
    }

    #if canImport(Glibc) || canImport(Musl)
      private static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        context.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
        return nil
      }
    #elseif canImport(Android)
      private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer = { context in
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return context
      }
    #else
      private static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }
    #endif
  }
#endif
