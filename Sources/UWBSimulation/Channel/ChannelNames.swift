import UWBDSP

/// Why a description names no channel. Says what, where, and what would do.
public struct ChannelDescriptionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part that can't be read.
  public var part: String
  /// What is wrong with the description.
  public var problem: String

  public var description: String {
    "'\(part)': \(problem)"
  }
}

extension Channel {
  /// The channel called `name`: awgn, cm1 … cm8.
  public init?(name: String) {
    if name == "awgn" {
      self = .awgn
    } else if let model = IEEE802154aModel.allCases.first(where: { $0.name == name }) {
      self = .ieee802154a(model)
    } else {
      return nil
    }
  }

  /// Reads a list of paths: `delay:power[@phase]`, separated by commas, delays in taps, powers in dB, phases in degrees
  /// (random where absent): `0:0dB,2.0:-3dB@90`. The unit `dB` may be left out.
  ///
  /// - Throws: `ChannelDescriptionError`, which names the path.
  public init(pathList: String) throws {
    let parts = pathList.split(separator: ",", omittingEmptySubsequences: false)
    self = .paths(
      try parts.map { part in
        func fail(_ problem: String) -> ChannelDescriptionError {
          ChannelDescriptionError(part: String(part), problem: problem)
        }
        let fields = part.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 2 else { throw fail("a path is written delay:power, as in 2.0:-3dB") }
        guard let delay = Self.number(fields[0]) else { throw fail("the delay is not a number of taps") }
        let values = fields[1].split(separator: "@", omittingEmptySubsequences: false)
        guard values.count <= 2, let power = values.first.flatMap({ Self.number($0, unit: "dB") }) else {
          throw fail("the power is not a number of decibels")
        }
        guard values.count == 2 else { return PathSpecification(delayTaps: delay, powerdB: power) }
        guard let degrees = Self.number(values[1], unit: "deg") else {
          throw fail("the phase is not a number of degrees")
        }
        return PathSpecification(delayTaps: delay, powerdB: power, phase: degrees * .pi / 180)
      })
  }

  static func number(_ text: Substring, unit: String = "") -> Double? {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    if text.hasSuffix(unit) { text.removeLast(unit.count) }
    guard let value = Double(text), value.isFinite, abs(value) <= 1e6 else { return nil }
    return value
  }
}

extension Channel: CustomStringConvertible {
  /// The name or path list that makes this channel again, where there is one.
  public var description: String {
    switch self {
    case .awgn: "awgn"
    case .twoPath(let spacing, let power, let phase):
      "0:0dB@0deg,\(Self.text(PathSpecification(delay: spacing, powerdB: power, phase: phase)))"
    case .paths(let list): list.map(Self.text).joined(separator: ",")
    case .pathsBeforeCluster(let list, let cluster):
      list.map(Self.text).joined(separator: ",") + " before a cluster from \(cluster.onset / UWB.tap) taps at "
        + "\(cluster.powerdB)dB, decaying by e in \(cluster.decay / UWB.tap) taps"
    case .ieee802154a(let model): model.name
    }
  }

  private static func text(_ path: PathSpecification) -> String {
    // Taps were multiplied by a tap's length: rounding to 10⁻⁶ taps gives back what was written.
    let taps = (path.delay / UWB.tap * 1e6).rounded() / 1e6
    let phase = path.phase.map { "@\(($0 * 180 / .pi * 1e6).rounded() / 1e6)deg" } ?? ""
    return "\(taps):\(path.powerdB)dB\(phase)"
  }
}
