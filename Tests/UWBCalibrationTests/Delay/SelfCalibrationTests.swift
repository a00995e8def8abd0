import Numerics
import TestSupport
import Testing
import UWBCalibration
import UWBDSP

@Suite struct SelfCalibrationTests {
  private typealias Observation = SelfCalibration.Observation
  private static let halfSpeed = UWB.speedOfLightInAir / 2

  /// Devices at places, with what their delays add to a distance.
  private struct SetUp {
    var places: [SIMD3<Double>]
    /// m
    var biases: [Double]

    static func device(_ index: Int) -> DeviceAddress { DeviceAddress(rawValue: UInt64(index + 1)) }

    func distance(_ one: Int, _ other: Int) -> Double {
      let offset = places[one] - places[other]
      return (offset * offset).sum().squareRoot()
    }

    var pairs: [(one: Int, other: Int)] {
      places.indices.flatMap { one in places.indices.filter { $0 > one }.map { (one, $0) } }
    }

    /// All pairs, noise added.
    func ranges(deviation: Double, noise: Double, using random: inout StatisticsRandom) -> [Observation] {
      pairs.map { pair in
        .range(
          Self.device(pair.one), Self.device(pair.other),
          distance: distance(pair.one, pair.other) + biases[pair.one] + biases[pair.other] + noise * random.gaussian(),
          deviation: deviation)
      }
    }

    func known(_ one: Int, _ other: Int) -> Observation {
      .distance(Self.device(one), Self.device(other), distance: distance(one, other), deviation: 0.005)
    }

    func delay(_ index: Int) -> Observation {
      .delay(Self.device(index), delay: biases[index] / SelfCalibrationTests.halfSpeed, deviation: 1e-12)
    }

    /// Largest error of a delay, m of distance.
    func error(_ solution: SelfCalibration.Solution) -> Double {
      zip(solution.devices, biases).map { abs($0.delay * SelfCalibrationTests.halfSpeed - $1) }.max() ?? .infinity
    }
  }

  private static func ring(_ count: Int, radius: Double = 4, using random: inout StatisticsRandom) -> SetUp {
    SetUp(
      places: (0..<count).map {
        let angle = 2 * Double.pi * Double($0) / Double(count)
        return SIMD3(radius * .cos(angle), radius * .sin(angle), 0)
      }, biases: (0..<count).map { _ in 0.3 * random.gaussian() })
  }

  private static func scattered(
    _ count: Int, _ arrangement: SelfCalibration.Arrangement, size: Double = 8, using random: inout StatisticsRandom
  ) -> SetUp {
    SetUp(
      places: (0..<count).map { _ in
        var place = SIMD3<Double>()
        for axis in 0..<arrangement.dimensions { place[axis] = random.uniform(0...size) }
        return place
      }, biases: (0..<count).map { _ in 0.3 * random.gaussian() })
  }

  @Test("regular rings without noise: delays and places to a micrometre", arguments: [7, 8, 9, 12])
  func rings(count: Int) throws {
    var random = StatisticsRandom(seed: 2500 + UInt64(count))
    let setUp = Self.ring(count, using: &random)
    let solution = try SelfCalibration().solve(setUp.ranges(deviation: 0.01, noise: 0, using: &random))
    #expect(setUp.error(solution) < 1e-6)
    #expect(solution.redundancy == count * (count - 1) / 2 - (3 * count - 3) && solution.scale == 1)
    #expect(solution.rows.allSatisfy { !$0.isSetAside && abs($0.residual) < 1e-6 })
    for pair in setUp.pairs {
      let offset = solution.devices[pair.one].position - solution.devices[pair.other].position
      #expect(abs((offset * offset).sum().squareRoot() - setUp.distance(pair.one, pair.other)) < 1e-6)
    }
    #expect(solution.devices[0].position == .zero && abs(solution.devices[1].position.y) < 1e-9)
  }

  /// Delays of a chip that was never set: 80 m of distance a device, with metres between them.
  @Test("scattered devices, delays of any size", arguments: [SelfCalibration.Arrangement.plane, .space])
  func scatteredDevices(arrangement: SelfCalibration.Arrangement) throws {
    for seed in 2520..<2532 as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      var setUp = Self.scattered(arrangement == .plane ? 9 : 11, arrangement, using: &random)
      if seed % 2 == 0 { setUp.biases = setUp.biases.map { 77 + 10 * $0 } }
      let ranges = setUp.ranges(deviation: 0.001, noise: 0, using: &random)
      let solution = try SelfCalibration(arrangement: arrangement).solve(ranges)
      #expect(setUp.error(solution) < 1e-5, "seed \(seed), \(arrangement)")
    }
  }

  /// Covariance of the delays by the Fisher information with three coordinates held, m².
  private static func bound(_ setUp: SetUp, deviation: Double) throws -> [Double] {
    let count = setUp.places.count
    // x and y of each place but x₀, y₀, y₁, then the biases.
    func column(_ device: Int, _ axis: Int) -> Int? {
      device == 0 ? nil : device == 1 ? (axis == 0 ? 0 : nil) : 2 * device - 3 + axis
    }
    let order = 3 * count - 3
    var information = [[Double]](repeating: [Double](repeating: 0, count: order), count: order)
    for pair in setUp.pairs {
      var row = [Double](repeating: 0, count: order)
      let unit = (setUp.places[pair.one] - setUp.places[pair.other]) / setUp.distance(pair.one, pair.other)
      for axis in 0..<2 {
        if let index = column(pair.one, axis) { row[index] += unit[axis] }
        if let index = column(pair.other, axis) { row[index] -= unit[axis] }
      }
      row[2 * count - 3 + pair.one] += 1
      row[2 * count - 3 + pair.other] += 1
      for one in 0..<order { for other in 0..<order { information[one][other] += row[one] * row[other] } }
    }
    let inverse = try #require(NaiveAlgebra.inverse(information))
    return (0..<count).map { inverse[2 * count - 3 + $0][2 * count - 3 + $0] * deviation * deviation }
  }

  /// With n trials the mean of squared errors over the bound scatters by √(2/n): four of these for each device. At 5 mm of noise in a
  /// ring of 4 m curvature adds less than 0.01.
  @Test func reachesTheBound() throws {
    var random = StatisticsRandom(seed: 2541)
    var setUp = Self.ring(8, using: &random)
    // Off the regular ring, and turned so that the bound's held coordinate is a free one.
    for index in setUp.places.indices {
      setUp.places[index] += SIMD3(random.uniform(-0.5...0.5), random.uniform(-0.5...0.5), 0)
    }
    let deviation = 0.005
    var held = setUp
    let axis = setUp.places[1] - setUp.places[0]
    let turn = Double.atan2(y: axis.y, x: axis.x)
    held.places = setUp.places.map { place in
      let p = place - setUp.places[0]
      return SIMD3(p.x * .cos(turn) + p.y * .sin(turn), -p.x * .sin(turn) + p.y * .cos(turn), 0)
    }
    let bound = try Self.bound(held, deviation: deviation)
    let trials = 400
    var squares = [Double](repeating: 0, count: 8)
    var inflated = 0
    let calibration = SelfCalibration(outlierLimit: .infinity, startCount: 2)
    for _ in 0..<trials {
      let ranges = setUp.ranges(deviation: deviation, noise: deviation, using: &random)
      let solution = try calibration.solve(ranges)
      if solution.scale > 1 { inflated += 1 }
      for index in 0..<8 {
        let device = solution.devices[index]
        let error = device.delay * Self.halfSpeed - setUp.biases[index]
        squares[index] += error * error / bound[index]
        let stated = device.delayDeviation * Self.halfSpeed / solution.scale
        #expect(abs(stated / bound[index].squareRoot() - 1) < 0.05)
      }
    }
    let limit = 4 * (2 / Double(trials)).squareRoot()
    for square in squares { #expect(abs(square / Double(trials) - 1) < limit, "\(squares.map { $0 / 400 })") }
    // χ² of 7 beyond 7 + 3·√14 = 18.2: one in 90.
    #expect(StatisticsLimits.binomial(probability: 0.0111, trials: trials).contains(inflated), "\(inflated)")
  }

  /// Twelve devices, 66 ranges and three known distances for 33 unknowns.
  @Test(
    "pairs behind a wall and a wrong tape measure are named, and harm nothing",
    arguments: 2551...2570 as ClosedRange<UInt64>)
  func outliers(seed: UInt64) throws {
    var random = StatisticsRandom(seed: seed)
    var setUp = Self.ring(12, using: &random)
    for index in setUp.places.indices {
      setUp.places[index] += SIMD3(random.uniform(-0.6...0.6), random.uniform(-0.6...0.6), 0)
    }
    var rows = setUp.ranges(deviation: 0.02, noise: 0.02, using: &random)
    let wrong = [(one: 0, other: 5, error: 0.7), (2, 9, 0.5), (3, 7, 1.1)]
    var expected: [Int] = []
    for (one, other, error) in wrong {
      let index = try #require(setUp.pairs.firstIndex { $0.one == one && $0.other == other })
      expected.append(index)
      guard case .range(let first, let second, let distance, let deviation) = rows[index] else { continue }
      rows[index] = .range(first, second, distance: distance + error, deviation: deviation)
    }
    expected.append(rows.count + 1)
    rows += [
      setUp.known(0, 4),
      .distance(SetUp.device(6), SetUp.device(11), distance: setUp.distance(6, 11) - 0.5, deviation: 0.005),
      setUp.known(1, 8),
    ]
    let solution = try SelfCalibration().solve(rows)
    let aside = solution.rows.indices.filter { solution.rows[$0].isSetAside }
    #expect(aside == expected.sorted(), "seed \(seed)")
    for (device, bias) in zip(solution.devices, setUp.biases) {
      #expect(abs(device.delay * Self.halfSpeed - bias) < 4 * device.delayDeviation * Self.halfSpeed, "seed \(seed)")
      #expect(device.delayDeviation * Self.halfSpeed < 0.05)
    }
  }

  /// Deviations that were stated too small are found out by what is left.
  @Test func dishonestDeviations() throws {
    var random = StatisticsRandom(seed: 2561)
    let setUp = Self.ring(12, using: &random)
    let solution = try SelfCalibration().solve(setUp.ranges(deviation: 0.005, noise: 0.02, using: &random))
    // χ² of 33 scatters by √(2/33) = 25 %, its root by 12 %.
    #expect(abs(solution.scale / 4 - 1) < 0.5, "\(solution.scale)")
  }

  private static func failure(
    _ observations: [Observation], _ arrangement: SelfCalibration.Arrangement
  ) -> SelfCalibration.Failure? {
    do {
      _ = try SelfCalibration(arrangement: arrangement).solve(observations)
      return nil
    } catch {
      return error
    }
  }

  @Test func whatIsMissingIsSaid() throws {
    var random = StatisticsRandom(seed: 2571)
    func all(_ setUp: SetUp) -> [Observation] { setUp.ranges(deviation: 0.01, noise: 0, using: &random) }
    // Five in a plane: ten ranges for twelve unknowns.
    let five = Self.scattered(5, .plane, using: &random)
    guard case .notDetermined(let open, 10, 12, 2, []) = Self.failure(all(five), .plane) else {
      Issue.record("\(String(describing: Self.failure(all(five), .plane)))")
      return
    }
    #expect(open.count == 5)
    // Six in a regular ring: as many ranges as unknowns, one of them for nothing.
    let ring = Self.ring(6, using: &random)
    guard case .notDetermined(_, 15, 15, 1, []) = Self.failure(all(ring), .plane) else {
      Issue.record("\(String(describing: Self.failure(all(ring), .plane)))")
      return
    }
    // On a line the one at an end, or its neighbour, who could change places; however many there are.
    for count in [3, 4, 7] {
      var random = StatisticsRandom(seed: 2580 + UInt64(count))
      let line = Self.scattered(count, .line, using: &random)
      let rows = line.ranges(deviation: 0.01, noise: 0, using: &random)
      let order = line.places.indices.sorted { line.places[$0].x < line.places[$1].x }
      guard case .notDetermined(let open, _, let unknowns, 2, []) = Self.failure(rows, .line) else {
        Issue.record("\(count): \(String(describing: Self.failure(rows, .line)))")
        continue
      }
      #expect(unknowns == 2 * count - 1)
      #expect(open.count == 2)
      for end in [order.prefix(2), order.suffix(2)] {
        #expect(open.contains { end.map(SetUp.device).contains($0) }, "\(count)")
      }
      // With the ends' delays known, the rest follows, their places among them.
      let solution = try SelfCalibration(arrangement: .line).solve(rows + [order[0], order[count - 1]].map(line.delay))
      #expect(line.error(solution) < 1e-6)
    }
    // Seven in a plane, taken to be anywhere in space.
    let seven = Self.ring(7, using: &random)
    #expect(Self.failure(all(seven), .space) != nil)
    // A pair that was not ranged is named.
    let eight = Self.ring(8, using: &random)
    let star = all(eight).prefix(13)
    guard case .notDetermined(_, 13, 21, _, let unpaired) = Self.failure(Array(star), .plane) else {
      Issue.record("a star determines nothing")
      return
    }
    #expect(unpaired.count == 15 && !unpaired.contains([SetUp.device(0), SetUp.device(1)]))
    #expect(Self.failure([], .plane) == .noRanges)
    #expect(
      Self.failure([.range(SetUp.device(0), SetUp.device(1), distance: .nan, deviation: 0.1)], .plane) == .noRanges)
  }

  @Test func knownDistancesAndDelaysHelp() throws {
    var random = StatisticsRandom(seed: 2591)
    // Three devices, all distances known: what `DelayCalibrationFit` does, without an iteration.
    let three = Self.scattered(3, .plane, using: &random)
    let known = [three.known(0, 1), three.known(0, 2), three.known(1, 2)]
    let ranges = three.ranges(deviation: 0.01, noise: 0, using: &random)
    #expect(three.error(try SelfCalibration().solve(ranges + known)) < 1e-6)
    // Five in a plane, four distances known: two rows to spare.
    let five = Self.ring(5, using: &random)
    let rows =
      five.ranges(deviation: 0.01, noise: 0, using: &random) + [
        five.known(0, 1), five.known(1, 2), five.known(2, 3), five.known(3, 4),
      ]
    let solution = try SelfCalibration().solve(rows)
    #expect(five.error(solution) < 1e-6 && solution.redundancy == 2)
    // Five, three delays known.
    let told = five.ranges(deviation: 0.01, noise: 0, using: &random) + [0, 2, 3].map(five.delay)
    #expect(five.error(try SelfCalibration().solve(told)) < 1e-6)
    // Six of whom not all ranged with each other, with a delay.
    let eight = Self.ring(8, using: &random)
    let fewer = eight.ranges(deviation: 0.01, noise: 0, using: &random).enumerated()
      .filter { $0.offset % 7 != 3 }.map(\.element)
    #expect(fewer.count == 24)
    #expect(eight.error(try SelfCalibration().solve(fewer + [eight.delay(4)])) < 1e-6)
  }

  /// Six scattered devices: as many ranges as unknowns, and often several answers. Whatever is handed out fits; where another answer was met, it is
  /// said.
  @Test func severalAnswersAreNotHidden() throws {
    var right = 0
    var refused = 0
    var wrong = 0
    for seed in 2600..<2660 as Range<UInt64> {
      var random = StatisticsRandom(seed: seed)
      let setUp = Self.scattered(6, .plane, using: &random)
      let ranges = setUp.ranges(deviation: 0.001, noise: 0, using: &random)
      do {
        let solution = try SelfCalibration().solve(ranges)
        if setUp.error(solution) < 1e-3 { right += 1 } else { wrong += 1 }
      } catch {
        refused += 1
      }
    }
    print("six scattered devices: \(right) right, \(refused) refused, \(wrong) wrong")
    #expect(refused > 0)
    #expect(wrong == 0)
  }

  @Test func rangesOfExchanges() throws {
    var random = StatisticsRandom(seed: 2671)
    let long = (0..<400).map { $0 % 20 == 0 ? 9.0 : 5.1 + 0.03 * random.gaussian() }
    let short = (0..<50).map { _ in 4.9 + 0.03 * random.gaussian() }
    let range = try #require(SelfCalibration.range(of: [long, short, [], [.nan]], placeDeviation: 0.02))
    // Each capture counts the same: the mean lies in the middle of the two.
    #expect(abs(range.distance - 5) < 0.02, "\(range)")
    let alone = try #require(SelfCalibration.range(of: [short], placeDeviation: 0))
    // 30 mm over √50, and over √0.85; the scale of 50 scatters by 13 % and more.
    #expect(abs(alone.deviation / (0.03 / (50 * 0.85).squareRoot()) - 1) < 0.6)
    #expect(SelfCalibration.range(of: [[.infinity]], placeDeviation: 0.02) == nil)
  }
}
