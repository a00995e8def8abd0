import Synchronization

/// The lock round what several threads share.
///
/// It is the standard library's `Mutex`. On Linux that sleeps in the kernel by a futex, and the library's slow path is
/// not instrumented: the thread sanitizer doesn't see who woke whom, and reports races that are none. Where
/// `UWB_THREAD_SANITIZER` is defined (`scripts/test-threads`) the lock is the system's own, which the sanitizer knows.
#if UWB_THREAD_SANITIZER
  import UWBPlatform

  package final class StateLock<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: sending Value) {
      self.value = value
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value)
    }
  }
#else
  package typealias StateLock<Value> = Mutex<Value>
#endif
