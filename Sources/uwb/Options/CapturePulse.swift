import UWBCalibration
import UWBCapture
import UWBDSP
import UWBTypes

/// What a capture's first CIRs say of its radio's pulse.
struct CapturePulse: Sendable {
  /// `--pulse profile`: the profile's, whatever the CIRs say.
  static let profileName = "profile"
  /// Exchanges that are read at most, and CIRs none of which counts.
  private static let mostExchanges = 1_000
  private static let mostVain = 100

  private var learning: PulseLearning
  private var exchanges = 0
  private var responses = 0

  init(_ profile: DeviceProfile) { learning = PulseLearning(profile) }

  /// Whether further exchanges are passed over.
  var isDecided: Bool {
    exchanges >= Self.mostExchanges || learning.isFull
      || learning.count == 0 && max(exchanges, responses) >= Self.mostVain
  }

  /// Takes what an exchange holds.
  mutating func add(_ exchange: RangingExchange) {
    guard !isDecided else { return }
    exchanges += 1
    for reception in exchange.receptionsWithImpulseResponse {
      guard let response = reception.impulseResponse else { continue }
      learning.add(response)
      responses += 1
    }
  }

  /// Takes a CIR that came without an exchange.
  mutating func add(_ response: ChannelImpulseResponse) {
    guard !isDecided else { return }
    learning.add(response)
    exchanges += 1
    responses += 1
  }

  /// What the exchanges so far say.
  func outcome() -> PulseLearning.Outcome { learning.outcome() }

  /// Learns from the capture at `path`, read for itself. Streams can't be read twice: they say nothing.
  ///
  /// What of the capture can't be read ends it: who reads the capture tells.
  static func outcome(_ path: String, _ input: InputOptions, _ profile: DeviceProfile) -> PulseLearning.Outcome {
    var pulse = CapturePulse(profile)
    guard path != "-", captureByteCount(path) != nil, var reader = try? input.open(path, hasTruth: false) else {
      return pulse.outcome()
    }
    while !pulse.isDecided, let exchange = try? reader.next() { pulse.add(exchange) }
    return pulse.outcome()
  }

  /// For people: what was found wrong, and what was done; `nil` where nothing was.
  static func text(_ outcome: PulseLearning.Outcome, _ profile: DeviceProfile) -> String? {
    guard let finding = outcome.finding, finding.isWrong else { return nil }
    let misfit = String(decimal: 100 * finding.misfit, places: 0)
    let found = "the pulse of profile \(profile.name) misses \(misfit) % of what its first \(finding.count) CIRs show"
    guard let estimate = outcome.estimate else {
      return "\(found). No better one was found: name the radio with --profile, or give its pulse with --pulse."
    }
    let error = String(decimal: 100 * (estimate.modelError ?? profile.modelError), places: 1)
    return
      "\(found). The pulse that they show is used, model error \(error) %; --pulse \(profileName) keeps the profile's."
  }
}
