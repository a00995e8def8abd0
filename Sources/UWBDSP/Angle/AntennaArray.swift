import Numerics

/// Where a device's antennas are, how each responds, and at which carrier they listen.
///
/// Axes as in `NOTATION.md`: +x right, +y up, −z out of the back of the device, towards the peer. Antenna `m` responds
/// to a plane wave from unit vector u with
///
///     a_m(u) = g_m · E_m(u) · G_m(u) · exp(+j·2π·f/c · p_m·u)
///
/// g its gain, E its element pattern, G what was measured on top of that (`ManifoldGrid`); all three are 1 unless given.
public struct AntennaArray: Sendable, Hashable {
  /// Antenna positions, m; their mean is the point from which direction is measured.
  public var positions: [SIMD3<Double>]
  /// Carrier frequency, Hz.
  public var carrier: Double
  /// Complex gain of each antenna (amplitude and phase of its feed); empty where all are 1.
  public var gains: [Complex<Double>]
  /// Element patterns: empty where all are isotropic, one that all share, or one for each antenna.
  public var patterns: [ElementPattern]
  /// Measured responses over the ideal ones, where there are any.
  public var manifold: ManifoldGrid?

  /// - Precondition: at least one antenna; a positive carrier; as many gains as antennas or none; patterns none, one, or
  ///   one for each; a manifold of as many antennas.
  public init(
    positions: [SIMD3<Double>], carrier: Double, gains: [Complex<Double>] = [], patterns: [ElementPattern] = [],
    manifold: ManifoldGrid? = nil
  ) {
    precondition(!positions.isEmpty && carrier > 0, "\(positions.count) antennas at \(carrier) Hz are no array")
    precondition(
      gains.isEmpty || gains.count == positions.count, "\(positions.count) antennas got \(gains.count) gains")
    precondition(
      patterns.count <= 1 || patterns.count == positions.count,
      "\(positions.count) antennas got \(patterns.count) patterns")
    precondition(
      manifold == nil || manifold?.antennaCount == positions.count,
      "\(positions.count) antennas got a manifold of \(manifold?.antennaCount ?? 0)")
    self.positions = positions
    self.carrier = carrier
    self.gains = gains
    self.patterns = patterns
    self.manifold = manifold
  }

  /// Antennas of which no more is known than where they are.
  ///
  /// - Precondition: as of the other initializer.
  public init(_ layout: AntennaLayout) {
    self.init(positions: layout.positions, carrier: layout.carrier)
  }

  /// What a capture's header holds of the array.
  public var layout: AntennaLayout { AntennaLayout(positions: positions, carrier: carrier) }

  /// Whether all antennas respond alike, so that the phases of a plane wave are those of their places.
  var answersAlike: Bool {
    manifold == nil && gains.allSatisfy { $0 == gains[0] } && patterns.allSatisfy { $0 == patterns[0] }
  }

  /// Wavelength in air, m.
  public var wavelength: Double { UWB.speedOfLightInAir / carrier }

  /// Responses of all antennas to a plane wave from `direction`, the steering vector a(u).
  ///
  /// - Parameters:
  ///   - direction: unit vector to the source.
  ///   - response: receives one number for each antenna.
  /// - Precondition: room for as many numbers as antennas.
  public func response(to direction: SIMD3<Double>, into response: inout [Complex<Double>]) {
    precondition(
      response.count == positions.count, "\(positions.count) responses into room for \(response.count)")
    let wavenumber = 2 * Double.pi / wavelength
    for antenna in positions.indices {
      response[antenna] =
        Complex(length: 1, phase: wavenumber * (positions[antenna] * direction).sum())
        * ownResponse(of: antenna, to: direction)
    }
  }

  /// What an antenna's response to a plane wave is beyond its place: g·E(u)·G(u), 1 where nothing of these is given.
  package func ownResponse(of antenna: Int, to direction: SIMD3<Double>) -> Complex<Double> {
    var value = gains.isEmpty ? Complex<Double>.one : gains[antenna]
    if !patterns.isEmpty {
      value *= Complex(patterns[patterns.count == 1 ? 0 : antenna].amplitude(towards: direction))
    }
    if let manifold { value *= manifold.response(antenna: antenna, direction: direction).value }
    return value
  }

  /// As `response(to:into:)`, with memory of its own.
  public func response(to direction: SIMD3<Double>) -> [Complex<Double>] {
    var result = [Complex<Double>](repeating: .zero, count: positions.count)
    response(to: direction, into: &result)
    return result
  }
}

extension AntennaArray {
  /// Whether the engine takes an array of these antennas; what fails is named by `EngineLimits`.
  public static func isSupported(positions: [SIMD3<Double>], carrier: Double) -> Bool {
    let coordinates = (0..<3).map { axis in positions.map { $0[axis] } }
    guard EngineLimits.antennaCount.contains(positions.count), EngineLimits.carrier.contains(carrier),
      coordinates.joined().allSatisfy(EngineLimits.antennaCoordinate.contains)
    else { return false }
    let sides = coordinates.map { ($0.max() ?? 0) - ($0.min() ?? 0) }
    let wavelength = UWB.speedOfLightInAir / carrier
    return sides.reduce(0) { $0 + $1 * $1 }.squareRoot() <= EngineLimits.aperture * wavelength
  }

  var isSupported: Bool { Self.isSupported(positions: positions, carrier: carrier) }
}
