import ArgumentParser
import Foundation
import NearbySimulation
import NearbyUCI
import UWBDSP
import UWBSimulation

/// Where a simulated radio and its peers are, and what rounds between them measure.
final class ChipWorld: Sendable {
  /// m; of a distance without an obstacle
  private static let distanceNoise = 0.05
  private static let angleNoiseDegrees = 2.0

  private struct State {
    var room: SimulatedRoom?
    var random: SeededGenerator
  }

  private let state: StateLock<State>
  private let device: String
  /// In the order of their addresses, from 1 on.
  private let others: [String]
  /// What the radio's diagnostics hold; it then leaves line of sight to whoever reads them, as chips do.
  private let windows: ChipWindows?

  /// - Throws: `CaptureError` for a scenario that can't be read, `ValidationError` for a device that is not in it.
  init(scenario path: String?, device: String?, windows: ChipWindows? = nil, seed: UInt64) throws {
    self.windows = windows
    let random = SeededGenerator(seed: seed, stream: 5)
    guard let path else {
      state = StateLock(State(room: nil, random: random))
      (self.device, others) = ("", [])
      return
    }
    let room = try SimulatedRoom(try ScenarioFile.read(path))
    let names = room.deviceNames + room.scenario.accessories.map(\.name)
    guard let own = device ?? names.first, names.contains(own) else {
      throw Usage.unknown("device", device ?? "", names)
    }
    self.device = own
    others = names.filter { $0 != own }
    state = StateLock(State(room: room, random: random))
  }

  func measure(_ round: SimulatedChip.Round) -> TwoWayMeasurement {
    state.withLock { state in
      guard let place = place(of: round, state.room) else {
        var missed = TwoWayMeasurement()
        missed.status = .receptionTimeout
        missed.slot = 2
        return missed
      }
      var measured = Self.measurement(place, &state.random)
      if windows != nil { measured.lineOfSight = .unknown }
      return measured
    }
  }

  /// The frames that the radio hears of a peer; none of one that is not there.
  func observe(_ round: SimulatedChip.Round) -> [SimulatedDiagnostics.Frame] {
    state.withLock { state in
      guard let windows, let place = place(of: round, state.room) else { return [] }
      return windows.frames(of: round, distance: place.distance, isClear: place.isClear, using: &state.random)
    }
  }

  private struct Place {
    var distance: Double
    /// rad
    var azimuth: Double
    var elevation: Double
    var isClear: Bool
  }

  /// Where a peer is; `nil` for one that is not in the room.
  private func place(of round: SimulatedChip.Round, _ room: SimulatedRoom?) -> Place? {
    guard let room else {
      // Each peer walks back and forth before the radio, once in twenty seconds.
      let phase = 2 * Double.pi * (round.time / 20 + Double(round.peer) / 7)
      return Place(distance: 3 + 1.5 * sin(phase), azimuth: 0.7 * cos(phase), elevation: 0.1, isClear: true)
    }
    room.advance(to: round.time)
    guard round.peer > 0, others.indices.contains(Int(round.peer) - 1),
      let truth = room.truth(of: others[Int(round.peer) - 1], from: device)
    else { return nil }
    return Place(
      distance: truth.distance, azimuth: truth.direction.azimuth, elevation: truth.direction.elevation,
      isClear: truth.isClear)
  }

  private static func measurement(_ place: Place, _ random: inout SeededGenerator) -> TwoWayMeasurement {
    var measured = TwoWayMeasurement()
    let centimetres = (100 * (place.distance + distanceNoise * random.normal())).rounded()
    measured.status = centimetres < 0 ? .negativeDistance : .ok
    measured.rawDistance = UInt16(min(65_534, abs(centimetres)))
    measured.lineOfSight = place.isClear ? .clear : .obstructed
    func angle(_ radians: Double) -> UCIAngle {
      UCIAngle(
        degrees: radians.degrees + angleNoiseDegrees * random.normal(), figureOfMerit: place.isClear ? 100 : 60)
    }
    measured.azimuth = angle(place.azimuth)
    measured.elevation = angle(place.elevation)
    // Power falls with the distance, and behind a wall.
    let level = -60 - 20 * log10(max(0.1, place.distance)) - (place.isClear ? 0 : 8)
    measured.rawSignalStrength = UInt8(max(1, min(255, (-2 * level).rounded())))
    return measured
  }
}
