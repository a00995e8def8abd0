import Numerics

/// The first path that several antennas of one receiver agree on.
///
/// Each antenna speaks for a candidate by its chance there (`FirstPathCandidates`) over that of its likeliest. One that hears the signal but
/// shows no peak there leaves the candidate half as likely. The logarithms are added: a logarithmic opinion pool (Genest & Zidek 1986,
/// "Combining probability distributions", section 3.3). What was taken for a first path on one antenna alone, clutter mostly, is outvoted.
final class PooledFirstPath {
  private struct Candidate {
    /// From the start of antenna 0's accumulator.
    var taps: Double
    var chance: Double
    var antenna: Int
  }

  /// Peaks of one path on different antennas are at most so many taps apart.
  private static let nearTaps = 1.5
  /// The least chance that counts, over an antenna's likeliest: networks are no surer than that.
  private static let leastChance = 0.02
  private static let unseen = Double.log(0.5)

  @exclusivity(unchecked) private var candidates: [Candidate] = []
  /// Of each antenna, its likeliest candidate's.
  @exclusivity(unchecked) private var highest: [Double] = []

  init(mostAntennas: Int) {
    candidates.reserveCapacity(FirstPathCandidates.most * mostAntennas)
    highest.reserveCapacity(mostAntennas)
  }

  func removeAll() {
    candidates.removeAll(keepingCapacity: true)
    highest.removeAll(keepingCapacity: true)
  }

  /// Takes the candidates of one more antenna, which counts `shift` taps later than antenna 0.
  func add(_ halfTaps: [Int], chances: [Float], shift: Double) {
    guard let most = chances.max() else { return }
    for (halfTap, chance) in zip(halfTaps, chances) {
      candidates.append(Candidate(taps: Double(halfTap) / 2 - shift, chance: Double(chance), antenna: highest.count))
    }
    highest.append(Double(most))
  }

  /// The earliest peak of the likeliest path, taps from the start of antenna 0's accumulator.
  ///
  /// - Returns: `nil` where no antenna holds a candidate.
  func first() -> Double? {
    var best: (support: Double, taps: Double)?
    for candidate in candidates where candidate.chance >= Self.leastChance {
      guard let own = support(candidate) else { continue }
      guard let known = best else {
        best = own
        continue
      }
      if own.support > known.support || own.support == known.support && own.taps < known.taps { best = own }
    }
    return best?.taps
  }

  /// Log-likelihood of a path with this peak, and the earliest of the antennas' peaks of it.
  ///
  /// - Returns: `nil` where the same antenna has a likelier peak of that path.
  private func support(_ candidate: Candidate) -> (support: Double, taps: Double)? {
    var (sum, earliest) = (0.0, candidate.taps)
    var index = 0
    for antenna in highest.indices {
      var peak: Candidate?
      while index < candidates.count, candidates[index].antenna == antenna {
        let own = candidates[index]
        if abs(own.taps - candidate.taps) <= Self.nearTaps, own.chance > peak?.chance ?? -1 { peak = own }
        index += 1
      }
      guard let peak else {
        sum += Self.unseen
        continue
      }
      if antenna == candidate.antenna, peak.taps != candidate.taps { return nil }
      sum += Double.log(max(peak.chance, Self.leastChance) / highest[antenna])
      if peak.chance >= Self.leastChance { earliest = min(earliest, peak.taps) }
    }
    return (sum, earliest)
  }

  /// The mean over antennas of `FirstPathCandidates.ambiguityVariance`, about this place.
  func ambiguityVariance(about taps: Double) -> Double {
    guard !highest.isEmpty else { return 0 }
    let moment = candidates.reduce(0) { $0 + FirstPathCandidates.moment(chance: $1.chance, taps: $1.taps - taps) }
    return moment / Double(highest.count)
  }
}
