import UWBPlatform

/// Standard normal variates by the ziggurat: 98.8 % of draws cost one random word, a product and a comparison.
///
/// Marsaglia & Tsang, "The ziggurat method for generating random variables", J. Stat. Software 5(8), 2000, with 256
/// layers. The layer takes the word's low 8 bits and the abscissa its high 53, so that the two are independent (the
/// original shared bits between them: Doornik 2005).
struct NormalZiggurat: Sendable {
  static let shared = NormalZiggurat()

  /// Right edge of the lowest rectangle, where the tail starts.
  private static let tailStart = 3.6541528853610088
  /// Area of each layer.
  private static let area = 0.00492867323399

  /// Right edges of the layers, falling from the (virtual) base edge to 0; 257 values.
  let edges: [Double]
  /// exp(−x²/2) at each edge.
  let heights: [Double]

  private init() {
    func density(_ x: Double) -> Double { exp(-0.5 * x * x) }
    var edges = [Self.area / density(Self.tailStart), Self.tailStart]
    while edges.count < 256 {
      let x = edges[edges.count - 1]
      edges.append((-2 * log(Self.area / x + density(x))).squareRoot())
    }
    edges.append(0)
    self.edges = edges
    heights = edges.map(density)
  }

  func draw(using generator: inout SeededGenerator) -> Double {
    edges.withUnsafeBufferPointer { edges in
      heights.withUnsafeBufferPointer { Self.draw(edges: edges, heights: $0, using: &generator) }
    }
  }

  /// One draw from tables that the caller has pinned, for loops.
  @inline(__always)
  static func draw(
    edges: UnsafeBufferPointer<Double>, heights: UnsafeBufferPointer<Double>, using generator: inout SeededGenerator
  ) -> Double {
    while true {
      let word = generator.next()
      let layer = Int(word & 0xFF)
      let x = Double(Int64(bitPattern: word) >> 11) * 0x1p-52 * edges[layer]
      if abs(x) < edges[layer + 1] { return x }
      if let rare = outside(x, layer: layer, heights: heights, using: &generator) { return rare }
    }
  }

  /// The 1.2 % that fall outside a layer's safe part: the tail, or the wedge under the density.
  @inline(never)
  private static func outside(
    _ x: Double, layer: Int, heights: UnsafeBufferPointer<Double>, using generator: inout SeededGenerator
  ) -> Double? {
    if layer == 0 {
      // Marsaglia's tail (1964).
      while true {
        let excess = -log(generator.uniform()) / tailStart
        if -2 * log(generator.uniform()) > excess * excess {
          return x < 0 ? -(tailStart + excess) : tailStart + excess
        }
      }
    }
    let height = heights[layer] + generator.uniform() * (heights[layer + 1] - heights[layer])
    return height < exp(-0.5 * x * x) ? x : nil
  }
}
