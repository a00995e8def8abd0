import ArgumentParser
import Foundation
import UWBBaselines
import UWBDSP

/// `uwb estimators`: what there is, with the sources.
struct EstimatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "estimators", abstract: "List the estimators, with their sources.",
    discussion: """
      EXAMPLE
        uwb estimators
      """)

  @OptionGroup var messages: MessageOptions

  func run() throws {
    var lines = ["Delay (--delay):"]
    lines += DelayMethod.all.map { "  \(padded($0.name)) \($0.summary)" }
    lines += ["", "Angle (--angle):"]
    lines += AngleMethod.allCases.map { "  \(padded($0.rawValue)) \(Self.text($0))" }
    lines += ["", "Angle from snapshots (evaluate angle):"]
    lines += DirectionMethod.allCases.map { "  \(padded($0.rawValue)) \(Self.text($0))" }
    lines += ["", "Device profiles (from the capture):"]
    lines += DeviceProfile.all.map { profile in
      let peak = "peak \(profile.peakOffsetTaps) taps after the chip's first path"
      return "  \(padded(profile.name)) delay \(profile.delay.name), \(peak)"
    }
    try ByteOutput.write(lines.joined(separator: "\n") + "\n")
  }

  private func padded(_ name: String) -> String {
    name.padding(toLength: 24, withPad: " ", startingAt: 0)
  }

  static func text(_ method: AngleMethod) -> String {
    switch method {
    case .joint: "maximum likelihood of all near paths' delays and angles together (Wax & Leshem 1997)"
    case .phaseFit: "weighted least-squares fit of the plane wave to the first path's phases"
    case .none: "no direction"
    }
  }

  private static func text(_ method: DirectionMethod) -> String {
    switch method {
    case .phaseDifference: "two antennas: arcsine of the phase difference, all whole turns named"
    case .phaseFit: "weighted least squares on phases, row or plane, search over whole turns for sparse arrays"
    case .bartlett: "strongest beams (Bartlett 1948); maximum likelihood for one source"
    case .capon: "minimum-variance beams (Capon 1969)"
    case .music: "steering vectors nearest the signal subspace, any array (Schmidt 1986)"
    case .musicSmoothed: "the same after spatial smoothing, for coherent sources on a uniform row (Shan et al. 1985)"
    case .rootMUSIC: "roots of MUSIC's polynomial, uniform rows (Barabell 1983; Pesavento et al. 2000)"
    case .rootMUSICSmoothed: "the same after spatial smoothing"
    case .esprit: "unitary ESPRIT by total least squares, uniform rows (Haardt & Nossek 1995)"
    case .espritSmoothed: "the same after spatial smoothing"
    case .maximumLikelihood:
      "deterministic maximum likelihood, coherent sources too (Ziskind & Wax 1988; Viberg et al. 1991)"
    }
  }
}
