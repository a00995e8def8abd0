import UWBDSP

extension DenseCluster {
  /// The longest time constant that a description may ask for, taps: rays are drawn one by one.
  static let longestDecayTaps = 1000.0

  /// Reads `onset:decay:power`: where it starts and its time constant in taps, its power in dB, as in `6:8:0dB`. The unit
  /// `dB` may be left out.
  ///
  /// - Throws: `ChannelDescriptionError`.
  public init(description: String) throws {
    func fail(_ problem: String) -> ChannelDescriptionError {
      ChannelDescriptionError(part: description, problem: problem)
    }
    let fields = description.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count == 3 else { throw fail("a cluster is written onset:decay:power, as in 6:8:0dB") }
    guard let onset = Channel.number(fields[0]) else { throw fail("the onset is not a number of taps") }
    guard let decay = Channel.number(fields[1]), decay > 0, decay <= Self.longestDecayTaps else {
      throw fail("the decay is not a number of taps above 0 and up to \(Int(Self.longestDecayTaps))")
    }
    guard let power = Channel.number(fields[2], unit: "dB") else { throw fail("the power is not a number of decibels") }
    self.init(onset: onset * UWB.tap, decay: decay * UWB.tap, powerdB: power)
  }
}

extension Channel {
  /// Paths as `init(pathList:)` reads them, and dense scattering after them.
  ///
  /// - Throws: `ChannelDescriptionError`; also where the cluster would start before a path, for its onset would then be
  ///   the truth.
  public init(pathList: String, before cluster: DenseCluster) throws {
    guard case .paths(let list) = try Channel(pathList: pathList) else {
      throw ChannelDescriptionError(part: pathList, problem: "no list of paths")
    }
    guard list.contains(where: { $0.delay < cluster.onset }) else {
      throw ChannelDescriptionError(part: pathList, problem: "the cluster starts before all of these paths")
    }
    self = .pathsBeforeCluster(list, cluster)
  }
}
