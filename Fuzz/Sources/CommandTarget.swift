import ArgumentParser
import Foundation
import NearbySimulation
import Numerics
import UWBCapture
import UWBDSP
import uwb

/// A verb of the command line over a file of any bytes: what its checks let pass goes on to an engine, trackers and outputs.
struct CommandTarget {
  /// `FILE` stands for the bytes, `CAPTURE` and `ARRAY` for what `prepare` wrote.
  private let arguments: [String]

  private init(_ line: String) { arguments = line.split(separator: " ").map(String.init) }

  static let all = [
    "array": CommandTarget("replay CAPTURE --threads 1 --array FILE"),
    "calibration": CommandTarget("replay CAPTURE --threads 1 --array ARRAY --calibration FILE"),
    "calibrate-export": CommandTarget("calibrate export FILE --to qorvo --antenna-delay 16384"),
    "info": CommandTarget("info FILE"),
    "paths": CommandTarget("paths FILE --threads 1 --paths"),
    "pulse": CommandTarget("replay CAPTURE --threads 1 --pulse FILE"),
    "replay": CommandTarget("replay FILE --threads 1"),
    "replay-pose": CommandTarget("replay CAPTURE --threads 1 --pose FILE"),
    "replay-trajectory": CommandTarget(
      "replay CAPTURE --threads 1 --truth-trajectory FILE --anchors 0,0,0 --truth-offset 0"),
    "replay-anchors": CommandTarget("replay CAPTURE --threads 1 --anchors FILE"),
    "evaluate-truth": CommandTarget("evaluate ranging CAPTURE --truth FILE"),
    "evaluate-score": CommandTarget("evaluate delay --trials 3 --snr 20,25 --score a=FILE --threads 1"),
    "shard": CommandTarget("merge FILE --output csv"),
  ]

  private static func capture(_ folder: String) -> String { folder + "/capture.sigmf-meta" }
  private static func array(_ folder: String) -> String { folder + "/array.json" }

  /// Writes a small capture of two antennas and the file that describes them.
  static func prepare(_ folder: String) throws {
    let antennas = AntennaArray.linear(count: 2, spacing: 0.0188, carrier: 7.9872e9)
    try #"{"carrier_hz":7987200000,"layout":{"kind":"linear","count":2,"spacing_m":0.0188}}"#
      .write(toFile: array(folder), atomically: true, encoding: .utf8)
    let writer = try createCapture(
      capture(folder), header: CaptureHeader(format: "sigmf", profile: "dw1000", array: antennas.layout, notes: []))
    for index in 0..<3 { try writer.append(exchange(index)) }
    try writer.finish()
  }

  /// Three messages 3 m apart; a pulse on a little noise in each CIR, and in the last exchange phase differences in their place.
  private static func exchange(_ index: Int) -> RangingExchange {
    let samples = (0..<128).map { tap -> Complex<Float> in
      let distance = Double(tap % 64) - 20.3
      let pulse = 1000 * exp(-distance * distance / 2)
      return Complex(Float(pulse + Double(tap * 37 % 11)), Float(Double(tap * 53 % 13) - 0.3 * pulse))
    }
    let hasTaps = index < 2
    func message(_ sent: UInt64, _ received: UInt64) -> RangingMessage {
      RangingMessage(
        transmitted: DeviceTime(ticks: sent),
        reception: Reception(
          time: DeviceTime(ticks: received), chipFirstPathTaps: 19.5,
          impulseResponse: hasTaps ? ChannelImpulseResponse(samples, antennaCount: 2) : nil, receivedPowerdBm: -80))
    }
    var exchange = RangingExchange(
      index: index, time: 0.1 * Double(index), peer: DeviceAddress(rawValue: 0xa1),
      local: DeviceAddress(rawValue: 0xb2),
      poll: message(1_000_000, 501_000_640), response: message(601_000_640, 101_001_280),
      final: message(201_001_280, 701_001_920))
    if !hasTaps { exchange.phaseDifferences = [0.5] }
    exchange.truth = GroundTruth(distance: 3, azimuth: 0.1, elevation: 0, isLineOfSight: true)
    return exchange
  }

  func run(on file: String) throws {
    let line = arguments.map { word in
      switch word {
      case "FILE": file
      case "CAPTURE": Self.capture(folder)
      case "ARRAY": Self.array(folder)
      default: word.replacing("=FILE", with: "=" + file)
      }
    }
    var command = try Uwb.parseAsRoot(line)
    try command.run()
  }
}

/// Reads a scenario as `uwb simulate` does, and plays the first moment of one of few devices.
func playScenario(_ path: String) throws {
  var scenario = try ScenarioFile.read(path)
  guard scenario.devices.count + scenario.accessories.count + (scenario.crowd?.count ?? 0) <= 8 else { return }
  scenario.duration = min(scenario.duration, 0.2)
  scenario.rate = min(scenario.rate, 20)
  scenario.events.removeAll { $0.time > scenario.duration }
  scenario.expectations = []
  try ScriptedApps(scenario).play { _ in }
}
