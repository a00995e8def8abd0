/// What analyses one reception of each exchange: an analyser for each estimator that is asked and each tap spacing that came, made
/// when it is first needed.
struct ReceptionAnalysers {
  private let configuration: RangingEngine.Configuration
  /// The latest used last; no more than a capture that stays within `EngineLimits` asks for.
  private var kept: [(method: DelayMethod, analyser: ReceptionAnalyser)]
  private static let most = 2 * EngineLimits.tapSpacingCount

  init(_ configuration: RangingEngine.Configuration, tapCount: Int, antennaCount: Int) {
    self.configuration = configuration
    kept = [
      (
        configuration.delay,
        ReceptionAnalyser(configuration, tapCount: tapCount, antennaCount: antennaCount, tapSpacing: UWB.tap)
      )
    ]
  }

  var count: Int { kept.count }

  /// The one that was used last.
  var latest: ReceptionAnalyser { kept[kept.count - 1].analyser }

  mutating func analyse(
    _ response: ChannelImpulseResponse, _ reported: ReportedAntennas, by method: DelayMethod
  ) -> ReceptionAnalysis {
    guard response.isSupported else { return ReceptionAnalysis(status: .beyondLimits) }
    choose(method, response)
    return latest.analyse(response, reported)
  }

  private mutating func choose(_ method: DelayMethod, _ response: ChannelImpulseResponse) {
    let known = kept.lastIndex { $0.method == method && $0.analyser.tapSpacing == response.tapSpacing }
    if let known, known == kept.count - 1, latest.fits(response) { return }
    let old = known.map { kept.remove(at: $0).analyser }
    if let old, old.fits(response) { return kept.append((method, old)) }
    if kept.count == Self.most { kept.removeFirst() }
    var own = configuration
    own.delay = method
    // Twice as large, so that shapes that grow from CIR to CIR don't each ask for new memory.
    func room(_ wanted: Int, _ known: Int?, _ limit: Int) -> Int {
      guard let known else { return wanted }
      return wanted > known ? min(max(wanted, 2 * known), limit) : known
    }
    let taps = room(response.tapCount, old?.tapCapacity, EngineLimits.tapCount.upperBound)
    let antennas = room(response.antennaCount, old?.antennaCapacity, EngineLimits.antennaCount.upperBound)
    kept.append(
      (
        method,
        ReceptionAnalyser(own, tapCount: taps, antennaCount: antennas, tapSpacing: response.tapSpacing)
      ))
  }
}
