// One of two programs that range with each other in a served room: TwoProcesses ADDRESS DEVICE. The app is `Finder`, unchanged; its
// transport is a line of standard output for what it sends and a line of standard input for what its peer sends.

import Finder
import Foundation
import NearbyInteractionNames
import NearbyPorts
import NearbyRoom
import NearbySession

@main
@MainActor
struct TwoProcesses {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else { return print("TwoProcesses ADDRESS DEVICE") }
    let device = CommandLine.arguments[2]
    let radio = try await RemoteRoom.join(PortAddress(CommandLine.arguments[1]), as: device)
    NISession.host = NearbyHost(radio: radio, permission: .granted)

    let finder = PeerFinder { say($0.base64EncodedString()) }
    guard let data = await hear().flatMap({ Data(base64Encoded: $0) }) else { return tell("\(device): no peer") }
    finder.receive(data)
    while finder.updates < 5 || finder.distanceToPeer == nil { try await Task.sleep(for: .milliseconds(20)) }
    tell("\(device): \(finder.distanceToPeer ?? .nan) m, \(finder.isDirectionAvailable ? "with" : "no") direction")
    // Leaves when the peer has what it wants as well.
    say("done")
    _ = await hear()
    finder.stop()
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  private static func tell(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// The next line of standard input.
  private nonisolated static func hear() async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: readLine()) }
    }
  }
}
