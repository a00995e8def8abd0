import Foundation
import ArgumentParser
import UWBDSP

/// `uwb estimators`: what there is, with the sources.
struct EstimatorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "estimators", abstract: "List the estimators, with their sources.",
    discussion: """
      EXAMPLE
        uwb estimators
      """)

  func run() throws {
    print("Delay (--delay):")
    for method in DelayMethod.allCases { print("  \(padded(method.rawValue)) \(Self.text(method))") }
    print("\nAngle (--angle):")
    print("  \(padded("phase-fit")) weighted least-squares fit of the plane wave to the first path's phases")
    print("\nDevice profiles (from the capture):")
    for profile in DeviceProfile.all {
      print("  \(padded(profile.name)) delay \(profile.delay.rawValue), peak \(profile.peakOffsetTaps) taps after the chip's first path")
    }
  }

  private func padded(_ name: String) -> String {
    name.padding(toLength: 12, withPad: " ", startingAt: 0)
  }

  private static func text(_ method: DelayMethod) -> String {
    switch method {
    case .chip: "the chip's own first path, as it was recorded"
    case .peak: "strongest point of the band-limited interpolated CIR"
    case .edgeFit:
      "least-squares fit of one pulse to the leading edge (variable projection: Golub & Pereyra 1973)"
    case .pulseFit:
      "nonlinear least squares over all near paths, their number by a test (Golub & Pereyra 1973; Kaufman 1975)"
    case .denseOnset: "posterior median of where a continuum of rays begins (profiles: Molisch et al. 2004)"
    case .adaptive: "pulse-fit or dense-onset, by their evidence (MacKay 1992)"
    }
  }
}
