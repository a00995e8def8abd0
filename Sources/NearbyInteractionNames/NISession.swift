import Dispatch
import Foundation
import NearbySession
import UWBTypes

/// The interaction with one peer, under the names of Apple's framework: `NearbySession` underneath.
///
/// `NISession()` belongs to the device that all of the app shares: set `NISession.host` once, where the app starts.
///
///     NISession.host = NearbyHost(radio: radio, request: …)
public final class NISession {
  private static let shared = StateLock<NearbyHost?>(nil)
  private static let none = NearbyHost(deviceCapabilities: DeviceCapabilities(), permission: .declined)

  /// The device of sessions made without one. Until it is set, that is a device without a radio: nothing is supported.
  public static var host: NearbyHost {
    get { shared.withLock { $0 } ?? none }
    set { shared.withLock { $0 = newValue } }
  }

  /// What the shared host's device can do; look here first.
  public static var deviceCapabilities: any NIDeviceCapability { host.deviceCapabilities }

  /// Whether it can range at all: the older way to ask.
  public static var isSupported: Bool { host.isSupported }

  /// What the session is made of, with its streams and everything that has no name here.
  public let session: NearbySession
  private let relay = DelegateRelay()

  /// A session of the host `NISession.host`.
  public convenience init() {
    self.init(host: Self.host)
  }

  /// On a device of its own, as a simulated one.
  public init(host: NearbyHost) {
    session = NearbySession(host: host)
    session.delegateQueue = .main
    relay.serve(self)
    session.delegate = relay
  }

  /// For the peer; `nil` once the session is invalid.
  public var discoveryToken: NIDiscoveryToken? { session.discoveryToken.map(NIDiscoveryToken.init) }

  /// What the session last ran with; `nil` before the first run and once the session is invalid.
  public var configuration: NIConfiguration? {
    session.discoveryToken == nil ? nil : lastConfiguration
  }
  private var lastConfiguration: NIConfiguration?

  /// Held weakly; several sessions may share one.
  public weak var delegate: (any NISessionDelegate)? {
    get { relay.delegate }
    set { relay.delegate = newValue }
  }

  /// Where the delegate is called; `nil` for the main queue.
  public var delegateQueue: DispatchQueue? {
    didSet { session.delegateQueue = delegateQueue.map { NearbyDelegateQueue($0) } ?? .main }
  }

  /// Starts the session, or resumes it with the same tokens. What goes wrong comes to the delegate, as `didInvalidateWith`; nothing
  /// happens while the session is suspended.
  public func run(_ configuration: NIConfiguration) {
    lastConfiguration = configuration
    do {
      try session.run(configuration.configuration)
    } catch {
      if session.discoveryToken == nil { relay.keep(self) }
    }
  }

  /// Stops updates until the next run. The tokens stay good.
  public func pause() { session.pause() }

  /// Ends the session and its token. The delegate hears nothing more.
  public func invalidate() { session.invalidate() }

  /// The peer's place in the world of the device's pose, once assistance has converged.
  public func worldTransform(for object: NINearbyObject) -> WorldTransform? {
    session.worldTransform(for: object.object)
  }
}

extension NISession: Hashable {
  /// A session equals itself alone.
  public static func == (one: NISession, other: NISession) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
