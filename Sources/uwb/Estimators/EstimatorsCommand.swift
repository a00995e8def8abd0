import ArgumentParser
import Foundation
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
    lines += DelayMethod.allCases.map { "  \(padded($0.rawValue)) \(Self.text($0))" }
    lines += ["", "Angle (--angle):"]
    lines += AngleMethod.allCases.map { "  \(padded($0.rawValue)) \(Self.text($0))" }
    lines += ["", "Angle from snapshots (evaluate angle):"]
    lines += DirectionMethod.allCases.map { "  \(padded($0.rawValue)) \(Self.text($0))" }
    lines += ["", "Device profiles (from the capture):"]
    lines += DeviceProfile.all.map { profile in
      let peak = "peak \(profile.peakOffsetTaps) taps after the chip's first path"
      return "  \(padded(profile.name)) delay \(profile.delay.rawValue), \(peak)"
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

  static func text(_ method: DelayMethod) -> String {
    switch method {
    case .chip: "the chip's own first path, as it was recorded"
    case .peak: "strongest point of the band-limited interpolated CIR"
    case .edgeFit:
      "least-squares fit of one pulse to the leading edge (variable projection: Golub & Pereyra 1973)"
    case .pulseFit:
      "nonlinear least squares over all near paths, their number by a test (Golub & Pereyra 1973; Kaufman 1975)"
    case .denseOnset: "onset of a decaying continuum of rays, by its likelihood (posterior median)"
    case .riceFit: "one path before scattering of any gap and power (posterior mean)"
    case .adaptive: "pulse-fit and rice-fit, averaged by their evidence (MacKay 1992)"
    case .leadingEdge: "threshold crossing of the interpolated magnitude, carried to the pulse's peak"
    case .jumpBack: "jump back from the strongest path, search forward (Guvenc & Sahinoglu 2005)"
    case .serialBackward: "walk back from the strongest path until only noise is left (Guvenc & Sahinoglu 2005)"
    case .searchSubtract: "strongest path first, subtracted, and again (Falsi et al. 2006)"
    case .searchSubtractReadjust: "the same with all amplitudes solved anew each time (Falsi et al. 2006)"
    case .clean: "CLEAN deconvolution (Högbom 1974; Cramer, Scholtz & Win 2002)"
    case .music: "deepest minima of the noise subspace's spectrum over delay (Schmidt 1986; Li & Pahlavan 2004)"
    case .rootMUSIC: "roots of that spectrum's polynomial nearest the unit circle (Barabell 1983)"
    case .esprit: "rotation of the signal subspace over frequency (Roy & Kailath 1989; Haardt & Nossek 1995)"
    case .matrixPencil: "eigenvalues of a pencil of shifted singular vectors (Hua & Sarkar 1990)"
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
