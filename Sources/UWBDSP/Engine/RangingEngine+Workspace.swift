import Numerics

extension RangingEngine {
  /// All memory that measuring needs; one for each thread.
  public final class Workspace {
    // Accesses are over at once or to one of these alone, and each thread has a workspace of its own.
    @exclusivity(unchecked) var poll: ReceptionAnalysers
    @exclusivity(unchecked) var final: ReceptionAnalysers
    var amplitudes: [Complex<Double>]
    var deviations: [Double]
    let candidates = AlignedBuffer<DirectionCandidate>(
      count: JointDelayAngle.mostCandidates * JointDelayAngle.mostCandidates, zero: .none)
    @exclusivity(unchecked) var direction = JointEstimate().direction
    let phases: PhaseDirection.Workspace?
    let response: ResponseDirection.Workspace?
    /// What line of sight and range bias of the exchange measured last were judged by, its distance entered; `nil` where
    /// none of its receptions has a first path.
    @exclusivity(unchecked) public internal(set) var qualityFeatures: QualityFeatures?

    fileprivate init(_ engine: RangingEngine, tapCount: Int, antennaCount: Int) {
      let configuration = engine.configuration
      phases = engine.phaseDirection?.makeWorkspace()
      response = engine.responseDirection?.makeWorkspace()
      poll = ReceptionAnalysers(configuration, tapCount: tapCount, antennaCount: antennaCount)
      final = ReceptionAnalysers(configuration, tapCount: tapCount, antennaCount: antennaCount)
      amplitudes = Array(repeating: .zero, count: antennaCount)
      deviations = Array(repeating: 0, count: antennaCount)
    }

    /// Takes the mean features of the exchange's receptions, as far as they were analysed.
    func joinFeatures(_ first: ReceptionAnalysis?, _ second: ReceptionAnalysis?) {
      qualityFeatures = first?.hasFeatures == true ? poll.latest.features : nil
      guard second?.hasFeatures == true, let other = final.latest.features else { return }
      if qualityFeatures?.average(with: other) == nil { qualityFeatures = other }
    }

    func clearAmplitudes(count: Int) {
      if amplitudes.count != count {
        amplitudes = Array(repeating: .zero, count: count)
        deviations = Array(repeating: 0, count: count)
      }
      for antenna in 0..<count {
        amplitudes[antenna] = .zero
        deviations[antenna] = 0
      }
    }

    /// Adds one reception's amplitudes, weighted by what their phases tell; `deviations` gathers that information.
    /// Turning all of them by antenna 0's phase leaves the phases between antennas as they are.
    /// With `gains`, their sizes against antenna 0's stay too, which a calibration that mixes antennas needs.
    func addAmplitudes(
      _ analysis: ReceptionAnalysis?, _ analyser: ReceptionAnalyser, gains: Bool
    ) -> Int {
      guard let analysis, analysis.comparableAntennas == amplitudes.count,
        let reference = analyser.firstPath(antenna: 0)?.amplitude, reference != .zero
      else { return 0 }
      let turn = reference.conjugate / Complex(reference.length)
      for antenna in 0..<amplitudes.count {
        guard let path = analyser.firstPath(antenna: antenna), path.amplitude != .zero else { return 0 }
        let information = 1 / max(path.phaseDeviation * path.phaseDeviation, 1e-12)
        deviations[antenna] += information
        let size = gains ? reference.length : path.amplitude.length
        amplitudes[antenna] += path.amplitude * turn * Complex(information / size)
      }
      return 1
    }

    /// Antennas that may differ from those that were calibrated; antenna 0 is the reference.
    func widen(by variance: Double) {
      for antenna in deviations.indices.dropFirst() {
        deviations[antenna] = (deviations[antenna] * deviations[antenna] + variance).squareRoot()
      }
    }

    func turnInformationIntoDeviations() {
      for antenna in 0..<deviations.count {
        amplitudes[antenna] /= Complex(deviations[antenna])
        deviations[antenna] = 1 / deviations[antenna].squareRoot()
      }
    }
  }

  /// Makes the tables that engines share and that depend on no CIR, so that the first exchange need not wait for them.
  package func prepare(tapSpacing: Double) {
    guard [.adaptive, .riceFit].contains(configuration.delay), EngineLimits.tapSpacing.contains(tapSpacing)
    else { return }
    _ = RiceTables.shared(configuration.receiver(tapSpacing: tapSpacing))
  }

  /// Memory for CIRs of at most `tapCount` taps and `antennaCount` antennas, the array's unless given; larger ones make it grow.
  public func makeWorkspace(tapCount: Int = 1016, antennaCount: Int? = nil) -> Workspace {
    Workspace(
      self, tapCount: tapCount, antennaCount: antennaCount ?? configuration.array?.positions.count ?? 1)
  }
}
