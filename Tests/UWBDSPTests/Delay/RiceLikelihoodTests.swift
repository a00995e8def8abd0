import Numerics
import TestSupport
import Testing
import UWBBaselines
import UWBPlatform

@testable import UWBDSP

@Suite struct RiceLikelihoodTests {
  /// The onset of the largest ln L that was evaluated.
  private static func likeliest(_ likelihood: RiceLikelihood) -> Int {
    (0..<RiceTables.onsetCount).max { likelihood.top($0) < likelihood.top($1) } ?? 0
  }

  /// ln L by its definition: the whole covariance, factorised, and the amplitude eliminated.
  private static func reference(
    _ taps: PreparedTaps, firstTap: Int, onset: Double, _ alternative: RiceAlternative, ratiodB: Double,
    noise: NoiseCorrelation
  ) -> (value: Double, leftOut: Double, energy: Double) {
    let count = RiceTables.windowTaps
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    let gap = Double(alternative.gapSteps) / Double(RiceTables.stepsPerTap)
    let covariance = alternative.profile.covariance(table, onset: onset + gap, count: count)
    let ratio = pow(10, ratiodB / 10)
    let factor = SmallCholesky(order: count)
    func whitened(_ column: [Double], scattered: Bool) -> (column: [Double], logDeterminant: Double) {
      for row in 0..<count {
        for other in 0...row {
          factor[row, other] = noise(row - other) + (scattered ? ratio * covariance[row * count + other] : 0)
        }
      }
      #expect(factor.factorise(order: count))
      var result = column
      result.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { factor.solveLower(base, order: count) } }
      return (result, (0..<count).reduce(0) { $0 + 2 * log(factor[$1, $1]) })
    }
    var pulse = [Double](repeating: 0, count: count)
    pulse.withUnsafeMutableBufferPointer {
      if let base = $0.baseAddress { table.evaluate(delay: onset, firstTap: 0, count: count, into: base) }
    }
    let columns = [0, 1].map { part in (0..<count).map { Double(taps.taps[2 * (firstTap + $0) + part]) } }
    let p = whitened(pulse, scattered: true)
    let information = p.column.reduce(0) { $0 + $1 * $1 }
    var value = -p.logDeterminant + whitened(pulse, scattered: false).logDeterminant
    let strongest = (0..<count).reduce(0) { most, tap in
      max(most, columns.reduce(0) { $0 + pow(whitened($1, scattered: false).column[tap], 2) })
    }
    value += alternative.hasPath ? -log(information) : max(0, log(1.75 * strongest)) + Double(RiceAlternative.softPrior)
    var energy = 0.0
    for column in columns {
      let own = whitened(column, scattered: true).column
      let seen = zip(own, p.column).reduce(0) { $0 + $1.0 * $1.1 }
      value -= own.reduce(0) { $0 + $1 * $1 } - (alternative.hasPath ? seen * seen / information : 0)
      energy += whitened(column, scattered: false).column.reduce(0) { $0 + $1 * $1 }
    }
    // What the eigenvectors beyond the tables' would explain of these taps, and cost.
    let eigen = SymmetricEigenvectors(capacity: count)
    for index in covariance.indices { eigen.matrix.pointer[index] = covariance[index] }
    Whitening(noise, tapCount: count)?.applyToBothSides(eigen.matrix.pointer)
    _ = eigen.decompose(order: count)
    var beyond = 0.0
    for component in 0..<count - RiceTables.rank {
      var seen = 1.0
      for column in columns {
        let own = whitened(column, scattered: false).column
        let projected = (0..<count).reduce(0) { $0 + own[$1] * eigen.matrix.pointer[component * count + $1] }
        seen += projected * projected
      }
      beyond += max(0, eigen.values.pointer[component]) * seen
    }
    return (value + energy, 4 * ratio * beyond, energy)
  }

  @Test(arguments: [[1.0], [1, 0.5, 0.1]])
  func termsAreThoseOfTheWholeCovariance(lags: [Double]) throws {
    let noise = try #require(NoiseCorrelation(lags: lags))
    let likelihood = RiceLikelihood(ReceiverModel(noise: noise))
    var trials = OnsetTrials(seed: 71)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    var compared = 0
    for index in 0..<12 {
      taps.load(trials.rice(onset: 160 + trials.uniform(), pathdB: 25, gap: 1, powerdB: 18), antenna: 0)
      likelihood.load(taps, firstTap: 160 - RiceTables.roughTap, variance: 1)
      #expect(likelihood.run(into: DelayPosterior(), offset: 0))
      for onset in [11, 34, 56] {
        for (place, alternative) in RiceAlternative.all.enumerated() {
          let terms = likelihood.terms(onset: onset, alternative: place)
          for lane in [0, 2, 4] {
            let (expected, leftOut, energy) = Self.reference(
              taps, firstTap: 160 - RiceTables.roughTap, onset: RiceTables.onset(onset), alternative,
              ratiodB: Double(OnsetProfile.ratiosdB[lane]), noise: noise)
            // Sums of some hundred products up to the window's energy, in single precision; whitened ones have been such sums before.
            let rounding = 0.01 + (noise.isWhite ? 100 : 300) * Double(Float.ulpOfOne) * energy
            #expect(
              abs(Double(terms[lane]) - expected) < rounding + leftOut,
              "window \(index), onset \(onset), alternative \(place), lane \(lane)")
            compared += leftOut < 0.1 ? 1 : 0
          }
        }
      }
    }
    // The bound on what is left out must not be what makes them agree.
    #expect(compared > 200)
  }

  /// Peak and bend of the quartic through the sums over gaps and ρ at five onsets, sums by definition, the peak by looking.
  @Test func aLonePeakIsThatOfFiveOnsets() throws {
    let likelihood = RiceLikelihood(ReceiverModel())
    var trials = OnsetTrials(seed: 72)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    for index in 0..<8 {
      taps.load(trials.rice(onset: 160 + trials.uniform(), pathdB: 32, gap: 2, powerdB: 15), antenna: 0)
      let firstTap = 160 - RiceTables.roughTap
      likelihood.load(taps, firstTap: firstTap, variance: 1)
      let posterior = DelayPosterior()
      posterior.reset(first: Double(firstTap) + RiceTables.firstOnset)
      try #require(likelihood.run(into: posterior, offset: 0))
      let likeliest = RiceTables.onset(Self.likeliest(likelihood))
      let outcome = try #require(posterior.summary())
      func logSum(_ onset: Double) -> Double {
        var values: [Double] = []
        for alternative in RiceAlternative.all {
          for lane in 0..<8 {
            let ratio = Double(OnsetProfile.ratiosdB[lane])
            values.append(
              Self.reference(taps, firstTap: firstTap, onset: onset, alternative, ratiodB: ratio, noise: .white).value)
          }
        }
        let highest = values.max() ?? 0
        return highest + log(values.reduce(0) { $0 + exp($1 - highest) })
      }
      let places = [-2.0, -1, 0, 1, 2]
      let sums = places.map { logSum(likeliest + $0 / Double(RiceTables.stepsPerTap)) }
      func quartic(_ place: Double) -> Double {
        zip(places, sums).reduce(0) { total, point in
          total
            + places.filter { $0 != point.0 }.reduce(point.1) { $0 * (place - $1) / (point.0 - $1) }
        }
      }
      let peak = stride(from: -2.0, through: 2, by: 1e-4).max { quartic($0) < quartic($1) } ?? 0
      let bend = (quartic(peak - 1e-3) - 2 * quartic(peak) + quartic(peak + 1e-3)) * 1e6
      let deviation = (-1 / bend).squareRoot()
      let steps = Double(RiceTables.stepsPerTap)
      #expect(
        abs((outcome.delay - Double(firstTap) - likeliest) * steps - peak) < 0.05 * deviation,
        "window \(index): \(outcome), not \(peak)")
      // What lies beyond the maximum at half taps counts with its distance.
      let middle = (likeliest - RiceTables.firstOnset) * steps + peak
      let height = quartic(peak)
      var moment = deviation * deviation
      for onset in stride(from: 0, to: RiceTables.onsetCount, by: 4) {
        let distance = Double(onset) - middle
        guard abs(distance) > 2 else { continue }
        let sum = RiceAlternative.all.indices.reduce(0.0) { sum, alternative in
          let terms = likelihood.terms(onset: onset, alternative: alternative)
          return sum + (0..<8).reduce(0) { $0 + exp(Double(terms[$1]) - height) }
        }
        let beside = max(0, sum - exp(-distance * distance / (2 * deviation * deviation)))
        moment += 4 * beside * distance * distance / (deviation * (2 * Double.pi).squareRoot())
      }
      let expected = (0.8 * moment + 0.2 * deviation * deviation).squareRoot()
      #expect(abs(outcome.deviation * steps / expected - 1) < 0.1, "window \(index): \(outcome), not \(expected)")
    }
  }

  /// The integral over delays, taken on the grid of eighths. Peaks stand for it by Laplace's approximation, to a fraction of what any
  /// choice by evidence hangs on.
  @Test func theMassIsTheIntegral() throws {
    let likelihood = RiceLikelihood(ReceiverModel())
    var trials = OnsetTrials(seed: 73)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    var narrow = 0
    var difference = 0.0
    for index in 0..<40 {
      let powerdB = 14 + 8 * trials.uniform()
      taps.load(trials.rice(onset: 160 + trials.uniform(), pathdB: 20, gap: 1, powerdB: powerdB), antenna: 0)
      likelihood.load(taps, firstTap: 160 - RiceTables.roughTap, variance: 1)
      let posterior = DelayPosterior()
      posterior.reset(first: 160 - Double(RiceTables.roughTap) + RiceTables.firstOnset)
      #expect(likelihood.run(into: posterior, offset: 0))
      let outcome = try #require(posterior.summary())
      narrow += outcome.deviation < 0.25 ? 1 : 0
      var values: [Double] = []
      for onset in 0..<RiceTables.onsetCount {
        for alternative in RiceAlternative.all.indices {
          let terms = likelihood.terms(onset: onset, alternative: alternative)
          for lane in 0..<8 { values.append(Double(terms[lane])) }
        }
      }
      let highest = values.max() ?? 0
      let sum = values.reduce(0) { $0 + exp($1 - highest) }
      let integral = highest + log(sum / Double(RiceTables.stepsPerTap))
      #expect(abs(outcome.logMass - integral) < 0.7, "window \(index): \(outcome), not \(integral)")
      difference += abs(outcome.logMass - integral) / 40
    }
    #expect(difference < 0.1)
    #expect(narrow > 5 && narrow < 40, "\(narrow) peaks that are taken for parabolas")
  }

  /// The mass is a mean likelihood: over noise alone it is below 1 on average, and a path of 20 dB and more is worth what it explains.
  @Test func theMassTellsAPathFromNoise() throws {
    let window = RiceWindow(ReceiverModel())
    var trials = OnsetTrials(seed: 74)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    /// Against noise alone.
    func evidence(_ response: ChannelImpulseResponse) throws -> (evidence: Double, energy: Double) {
      taps.load(response, antenna: 0)
      #expect(window.find(taps, halfTap: 320))
      let energy = (window.firstTap..<window.firstTap + RiceTables.windowTaps).reduce(0.0) {
        $0 + Double(taps.powers.pointer[$1])
      }
      let noises = energy / window.variance()
      return (try #require(window.posterior.summary()).logMass + noises, noises)
    }
    for _ in 0..<50 {
      // A mean likelihood exceeds e⁶ once in four hundred times at the most (Markov's inequality).
      #expect(try evidence(trials.paths([], onset: 160)).evidence < 6)
      let seen = try evidence(trials.paths([(0, 25)], onset: 160 + trials.uniform()))
      // Of the energy noise explains 16, and amplitude, delay, alternatives and ρ cost some 20 together.
      #expect(seen.evidence > seen.energy - 60 && seen.evidence < seen.energy)
    }
  }

  /// Generalised least squares with the whole covariance of each alternative and ρ, weighed by likelihood.
  @Test func amplitudesAreAveragedOverWhatScatters() throws {
    let likelihood = RiceLikelihood(ReceiverModel(), mostAntennas: 2)
    var trials = OnsetTrials(seed: 75)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    let (count, first) = (RiceTables.windowTaps, 160 - RiceTables.roughTap)
    let table = PulseTable(.standard, tapSpacing: UWB.tap)
    let factor = SmallCholesky(order: count)
    for index in 0..<8 {
      taps.load(trials.rice(onset: 160 + trials.uniform(), pathdB: 20, gap: 1, powerdB: 16), antenna: 0)
      for antenna in 0..<2 { likelihood.load(taps, firstTap: first, variance: 2, antenna: antenna) }
      try #require(likelihood.run(into: DelayPosterior(), offset: 0))
      let likeliest = Self.likeliest(likelihood)
      #expect(likelihood.risesToTheEnd == (likeliest == RiceTables.onsetCount - 1))
      let delay = RiceTables.onset(likeliest)
      var pulse = [Double](repeating: 0, count: count)
      pulse.withUnsafeMutableBufferPointer {
        if let base = $0.baseAddress { table.evaluate(delay: delay, firstTap: 0, count: count, into: base) }
      }
      let highest = (0..<RiceAlternative.pathCount).reduce(-Float.infinity) {
        max($0, likelihood.terms(onset: likeliest, alternative: $1).max())
      }
      var (sum, inverse, total) = (Complex<Double>.zero, 0.0, 0.0)
      for (place, alternative) in RiceAlternative.all.enumerated() where alternative.hasPath {
        let gap = Double(alternative.gapSteps) / Double(RiceTables.stepsPerTap)
        let covariance = alternative.profile.covariance(table, onset: delay + gap, count: count)
        // Below a fiftieth of the likeliest none counts.
        for lane in 0..<8 where likelihood.terms(onset: likeliest, alternative: place)[lane] > highest - 4 {
          let ratio = pow(10, Double(OnsetProfile.ratiosdB[lane]) / 10)
          for row in 0..<count {
            for other in 0...row {
              factor[row, other] = (row == other ? 1 : 0) + ratio * covariance[row * count + other]
            }
          }
          #expect(factor.factorise(order: count))
          func whitened(_ column: [Double]) -> [Double] {
            var result = column
            result.withUnsafeMutableBufferPointer {
              if let base = $0.baseAddress { factor.solveLower(base, order: count) }
            }
            return result
          }
          let p = whitened(pulse)
          let seen = [0, 1].map { part in
            let column = (0..<count).map { Double(taps.taps[2 * (first + $0) + part]) }
            return zip(whitened(column), p).reduce(0) { $0 + $1.0 * $1.1 }
          }
          let information = p.reduce(0) { $0 + $1 * $1 }
          let weight = exp(Double(likelihood.terms(onset: likeliest, alternative: place)[lane] - highest))
          sum += Complex(weight) * Complex(seen[0] / information, seen[1] / information)
          inverse += weight / information
          total += weight
        }
      }
      let expected = sum / Complex(total)
      for antenna in 0..<2 {
        let (amplitude, variance) = likelihood.amplitude(delay: delay, antenna: antenna)
        #expect(
          (amplitude - expected).length < 0.02 * expected.length, "window \(index): \(amplitude), not \(expected)")
        // Half of the taps' variance, 2, for each of two parts.
        #expect(abs(variance - inverse / total) < 0.02 * variance)
      }
    }
  }

  /// Beside what is far likelier a run leaves the posterior as it was.
  @Test func whatIsNegligibleAddsNothing() throws {
    let likelihood = RiceLikelihood(ReceiverModel())
    var trials = OnsetTrials(seed: 76)
    let taps = PreparedTaps(tapCount: OnsetTrials.tapCount)
    taps.load(trials.rice(onset: 160, pathdB: 20, gap: 1, powerdB: 14), antenna: 0)
    let posterior = DelayPosterior()
    posterior.reset(first: 160 - Double(RiceTables.roughTap) + RiceTables.firstOnset)
    func run(offset: Double, beside other: Double) {
      likelihood.load(taps, firstTap: 160 - RiceTables.roughTap, variance: 1)
      #expect(likelihood.run(into: posterior, offset: offset, beside: other))
    }
    run(offset: 0, beside: -.infinity)
    let (mass, best) = (posterior.logMass, Double(likelihood.best))
    run(offset: -7, beside: best)
    #expect(posterior.logMass == mass)
    run(offset: 0, beside: best)
    #expect(abs(posterior.logMass - mass - log(2)) < 1e-9)
  }

  /// The integral of the likelihood's power, on the grid of eighths; one antenna counts as one.
  @Test(arguments: [1, 2, 4]) func evidenceIsThatOfMoreAntennas(antennas: Int) throws {
    let window = RiceWindow(ReceiverModel(), mostAntennas: antennas)
    var trials = OnsetTrials(seed: 77)
    let taps = (0..<antennas).map { _ in PreparedTaps(tapCount: OnsetTrials.tapCount) }
    let power = pow(Double(antennas), 0.3)
    for index in 0..<12 {
      for own in taps { own.load(trials.rice(onset: 160, pathdB: 18, gap: 1, powerdB: 12), antenna: 0) }
      #expect(window.find(antennas: antennas, halfTap: 320) { taps[$0] })
      let mass = window.posterior.logMass
      var values: [Double] = []
      for onset in 0..<RiceTables.onsetCount {
        for alternative in RiceAlternative.all.indices {
          let terms = window.likelihood.terms(onset: onset, alternative: alternative)
          for lane in 0..<8 { values.append(Double(terms[lane])) }
        }
      }
      func integral(_ power: Double, _ offset: Double) -> Double {
        let highest = values.max() ?? 0
        let sum = values.reduce(0) { $0 + exp(power * ($1 - highest)) }
        return power * (highest + offset) + log(sum / Double(RiceTables.stepsPerTap))
      }
      // What turns ln L into a density: told by the mass as it is.
      let offset = mass - integral(1, 0)
      let cost = log(PathEvidence.delayRange * Double(8 * RiceAlternative.count))
      let expected = integral(power, offset + cost) - cost
      #expect(abs(window.evidence(mass) - expected) < (antennas == 1 ? 1e-9 : 1.5), "window \(index)")
    }
  }

  @Test func alternativesWithAPathComeFirst() {
    #expect(RiceAlternative.all.count == RiceAlternative.count)
    #expect(RiceAlternative.all.map(\.hasPath) == (0..<RiceAlternative.count).map { $0 < RiceAlternative.pathCount })
  }

  @Test func oneSetOfTablesForAllWorkspacesOfAPulse() {
    let tables = RiceTables.shared(ReceiverModel())
    #expect(RiceTables.shared(ReceiverModel()) === tables)
    #expect(RiceTables.shared(ReceiverModel(tapSpacing: UWB.tap / 2)) !== tables)
  }
}
