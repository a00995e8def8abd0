// The same for accessories: the app carries an accessory's data to the session, and the session's data to the accessory.

import Foundation
import NearbyInteractionNames

/// Finds accessories by the data that they send over a link of the app's, such as Bluetooth.
public final class AccessoryFinder: NSObject {
  public private(set) var distances: [String: Float] = [:]

  private let session: NISession
  private var names: [NIDiscoveryToken: String] = [:]
  private var links: [NIDiscoveryToken: (Data) -> Void] = [:]

  public init(session: NISession = NISession()) {
    self.session = session
    super.init()
    session.delegate = self
  }

  /// An accessory has sent its configuration data.
  ///
  /// - Parameter send: takes data to the accessory.
  public func setUp(_ configurationData: Data, name: String, send: @escaping (Data) -> Void) {
    let configuration: NINearbyAccessoryConfiguration
    do {
      configuration = try NINearbyAccessoryConfiguration(data: configurationData)
    } catch {
      print("\(name) sent data that is no configuration: \(error)")
      return
    }
    // Updates carry this token.
    names[configuration.accessoryDiscoveryToken] = name
    links[configuration.accessoryDiscoveryToken] = send
    session.run(configuration)
  }
}

extension AccessoryFinder: NISessionDelegate {
  public func session(
    _ session: NISession, didGenerateShareableConfigurationData shareableConfigurationData: Data,
    for object: NINearbyObject
  ) {
    links[object.discoveryToken]?(shareableConfigurationData)
  }

  public func session(_ session: NISession, didUpdate nearbyObjects: [NINearbyObject]) {
    for object in nearbyObjects {
      if let name = names[object.discoveryToken] { distances[name] = object.distance }
    }
  }
}
