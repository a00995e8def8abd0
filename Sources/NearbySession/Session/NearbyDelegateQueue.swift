import Dispatch

/// Where a session calls its delegate.
///
/// The default is a serial queue of the session's own, so that a delegate that blocks delays nobody else. Choose `main` for a delegate
/// on the main actor, or one that the main thread uses as well.
public struct NearbyDelegateQueue: Sendable {
  /// Some work to do later, once.
  public typealias Work = @Sendable () -> Void

  let isMainThread: Bool
  let schedule: @Sendable (@escaping Work) -> Void

  private init(isMainThread: Bool, schedule: @escaping @Sendable (@escaping Work) -> Void) {
    self.isMainThread = isMainThread
    self.schedule = schedule
  }

  /// An event loop of the app's own. `schedule` keeps each piece of work and has the loop run it.
  public init(schedule: @escaping @Sendable (@escaping Work) -> Void) {
    self.init(isMainThread: false, schedule: schedule)
  }

  /// The same for a loop on the main thread. Delegates on the main actor hear by it even where nobody serves the main queue.
  public static func mainThread(schedule: @escaping @Sendable (@escaping Work) -> Void) -> NearbyDelegateQueue {
    NearbyDelegateQueue(isMainThread: true, schedule: schedule)
  }

  /// An executor on this queue.
  public init(_ queue: DispatchQueue) {
    self.init { queue.async(execute: $0) }
  }

  /// The main queue, which the main actor runs on.
  public static let main = mainThread { DispatchQueue.main.async(execute: $0) }

  /// A new serial queue.
  static func own() -> NearbyDelegateQueue {
    NearbyDelegateQueue(DispatchQueue(label: "NearbySession delegate"))
  }
}
