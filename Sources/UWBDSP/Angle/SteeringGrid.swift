import CUWBKernels
import Numerics

/// An array's responses to plane waves from a grid of directions: where a search for a path's direction begins.
///
/// For amplitudes â_m of noise variance v_m, least squares of â_m = a·g_m(u) over a leaves
///
///     Σ|â_m|²/v_m − P(u),   P(u) = |Σ g_m(u)*·â_m/v_m|² / Σ 1/v_m,   g_m(u) = exp(+j·2π·f/c·p_m·u)
///
/// (Bartlett 1948; Stoica & Moses, "Spectral Analysis of Signals", 2005, section 6.3). The grid is one of direction
/// cosines, eight points to the width λ/aperture of the array's main lobe, over the half space in front (−z). A row of antennas has a
/// grid of one dimension, along it. Cost: O(antennas) a point, some 20 points for a row of four at λ/2, 300 for a square.
struct SteeringGrid: Sendable {
  /// How many direction cosines the antennas measure.
  enum Geometry: Sendable, Hashable {
    /// Antennas in one place, or along z: none.
    case point
    /// A row: the cosine along its unit vector (x, y).
    case row(SIMD2<Double>)
    case plane
  }

  let array: AntennaArray
  let geometry: Geometry
  /// Directions nearer than this in their cosines are one: a fifth of the main lobe.
  let samePlace: Double
  /// Cosine from one point to the next.
  let spacing: Double
  /// Direction cosines (x, y) of the grid's points.
  let cosines: [SIMD2<Double>]
  /// g_m, eight points at a time: antenna after antenna the real parts and then the imaginary ones. Zero behind the last point.
  private let steering: [SIMD8<Float>]
  private static let lanes = 8
  /// Index of each point's neighbours, eight a point, its own where there is none: by y and then by x, those before it first.
  private let neighbours: [Int]
  private static let pointsPerLobe = 8.0
  /// Most points along one axis: sparser grids than that of a 40 λ aperture are refined from a coarser start.
  private static let mostPerAxis = 321

  private static let kept = LatestFew<AntennaArray, SteeringGrid>(most: 4)

  /// The grid for this array, made where it is not kept: all threads look up the same one.
  static func shared(_ array: AntennaArray) -> SteeringGrid {
    kept.value(for: array) { SteeringGrid(array) }
  }

  init(_ array: AntennaArray) {
    self.array = array
    geometry = Self.geometry(array.positions)
    let extent = Self.extent(array.positions, geometry) / array.wavelength
    let half = Int(Self.pointsPerLobe * max(extent, 0.5), rounded: .up, within: 1...Self.mostPerAxis / 2)
    samePlace = 0.2 / max(extent, 0.5)
    spacing = 1 / Double(half)
    var cosines: [SIMD2<Double>] = []
    var places: [SIMD2<Int>: Int] = [:]
    func add(_ column: Int, _ row: Int, _ cosine: SIMD2<Double>) {
      places[SIMD2(column, row)] = cosines.count
      cosines.append(cosine)
    }
    switch geometry {
    case .point: add(0, 0, .zero)
    case .row(let axis):
      for column in -half...half { add(column, 0, Double(column) / Double(half) * axis) }
    case .plane:
      for row in -half...half {
        for column in -half...half {
          let cosine = SIMD2(Double(column), Double(row)) / Double(half)
          if (cosine * cosine).sum() <= 1 + 1e-9 { add(column, row, cosine) }
        }
      }
    }
    self.cosines = cosines
    var neighbours = [Int](repeating: 0, count: 8 * cosines.count)
    for (place, index) in places {
      var slot = 8 * index
      for row in -1...1 {
        for column in -1...1 where row != 0 || column != 0 {
          neighbours[slot] = places[place &+ SIMD2(column, row)] ?? index
          slot += 1
        }
      }
    }
    self.neighbours = neighbours
    let count = array.positions.count
    var steering = [SIMD8<Float>](
      repeating: .zero, count: (cosines.count + Self.lanes - 1) / Self.lanes * 2 * count)
    for (point, cosine) in cosines.enumerated() {
      let (block, lane) = point.quotientAndRemainder(dividingBy: Self.lanes)
      for (antenna, position) in array.positions.enumerated() {
        let phase = 2 * .pi / array.wavelength * (position * Self.direction(cosine)).sum()
        steering[2 * (block * count + antenna)][lane] = Float(Double.cos(phase))
        steering[2 * (block * count + antenna) + 1][lane] = Float(Double.sin(phase))
      }
    }
    self.steering = steering
  }

  /// The unit vector in front of the array with these cosines; beyond the edge z is 0 and the vector longer than 1.
  static func direction(_ cosines: SIMD2<Double>) -> SIMD3<Double> {
    SIMD3(cosines.x, cosines.y, -max(0, 1 - (cosines * cosines).sum()).squareRoot())
  }

  private var blockCount: Int { (cosines.count + Self.lanes - 1) / Self.lanes }

  /// Memory for P(u) over the grid, in whole vectors.
  func makeSpectrum() -> AlignedBuffer<Float> { AlignedBuffer(count: blockCount * Self.lanes, zero: 0) }

  /// P(u)·Σ 1/v_m at every point, and the largest; `amplitudes` holds â_m/v_m, interleaved.
  ///
  /// - Precondition: as many amplitudes as antennas.
  func evaluate(_ amplitudes: UnsafePointer<Float>, into spectrum: AlignedBuffer<Float>) -> Int {
    steering.withUnsafeBufferPointer { steering in
      guard let first = steering.baseAddress else { return 0 }
      return uwb_steer(floats(first), amplitudes, array.positions.count, blockCount, spectrum.pointer)
    }
  }

  /// Adds the points where `spectrum` is at least `level` and no neighbour is higher to the `first` ones of `points`, in order and
  /// as many as there is room for; how many there are then. `known` is left out.
  func peaks(
    of spectrum: AlignedBuffer<Float>, above level: Float, except known: Int, into points: AlignedBuffer<Int>,
    from first: Int
  ) -> Int {
    var found = first
    for block in 0..<blockCount {
      let powers = loadEight(spectrum.pointer + block * Self.lanes)
      guard any(powers .>= level) else { continue }
      for lane in 0..<Self.lanes where powers[lane] >= level && found < points.count {
        let point = block * Self.lanes + lane
        guard point != known, point < cosines.count, isPeak(point, of: spectrum) else { continue }
        points.pointer[found] = point
        found += 1
      }
    }
    return found
  }

  /// Cosines of the peak of the parabolas through `point`, which no neighbour is higher than, and its neighbours along the axes:
  /// its own beside the edge. No longer than 1.
  func vertex(of point: Int, in spectrum: AlignedBuffer<Float>) -> SIMD2<Double> {
    func offset(_ before: Int, _ after: Int) -> Double {
      let (before, after) = (neighbours[8 * point + before], neighbours[8 * point + after])
      guard before != point, after != point else { return 0 }
      let here = spectrum.pointer[point]
      let (low, high) = (spectrum.pointer[before], spectrum.pointer[after])
      let bend = 2 * here - low - high
      return bend > 0 ? Double((high - low) / (2 * bend)) : 0
    }
    var result = cosines[point]
    switch geometry {
    case .point: break
    case .row(let axis): result += offset(3, 4) * spacing * axis
    case .plane: result += SIMD2(offset(3, 4), offset(1, 6)) * spacing
    }
    let length = (result * result).sum().squareRoot()
    return length > 1 ? result / length : result
  }

  /// Whether no neighbour of `point` is higher.
  func isPeak(_ point: Int, of spectrum: AlignedBuffer<Float>) -> Bool {
    let value = spectrum.pointer[point]
    for slot in 8 * point..<8 * point + 8 where spectrum.pointer[neighbours[slot]] > value { return false }
    return true
  }

  private static func geometry(_ positions: [SIMD3<Double>]) -> Geometry {
    let mean = positions.reduce(SIMD3()) { $0 + $1 } / Double(positions.count)
    var xx = 0.0
    var xy = 0.0
    var yy = 0.0
    for position in positions {
      let place = position - mean
      xx += place.x * place.x
      xy += place.x * place.y
      yy += place.y * place.y
    }
    let trace = xx + yy
    // A ten-thousandth of a millimetre is no aperture.
    guard trace > 1e-14, trace.isFinite else { return .point }
    guard xx * yy - xy * xy <= 1e-9 * trace * trace else { return .plane }
    let along = xx >= yy ? SIMD2(1, xy / xx) : SIMD2(xy / yy, 1)
    return .row(along / (along * along).sum().squareRoot())
  }

  /// The longest distance between antennas, m, along the row or across the plane.
  private static func extent(_ positions: [SIMD3<Double>], _ geometry: Geometry) -> Double {
    var longest = 0.0
    for a in positions {
      for b in positions {
        let apart = a - b
        longest = max(longest, (apart * apart).sum().squareRoot())
      }
    }
    return longest
  }
}
