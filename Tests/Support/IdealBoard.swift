import UWBDSP
import UWBPlatform

/// A board of antenna pairs whose phase differences are those of ideal antennas.
package enum IdealBoard {
  package static let degree = Double.pi / 180

  /// Its manifold: antennas `apart` wavelengths to the right and upwards of antenna 0.
  package static func manifold(
    _ apart: [SIMD2<Double>], azimuth: Double = 60, elevation: Double = 60, deviation: Double = 3, step: Double = 3
  ) -> PhaseManifold {
    func axis(_ reach: Double) -> PhaseManifold.Axis {
      PhaseManifold.Axis(start: -reach * degree, step: step * degree, count: Int(2 * reach / step) + 1)
    }
    let (columns, rows) = (axis(azimuth), axis(elevation))
    let channels = apart.map { place in
      var phases: [Double] = []
      for row in 0..<rows.count {
        for column in 0..<columns.count {
          phases.append(
            phase(place, columns.start + Double(column) * columns.step, rows.start + Double(row) * rows.step))
        }
      }
      let variance = deviation * deviation * degree * degree
      return PhaseManifold.Channel(phases: phases, variances: Array(repeating: variance, count: phases.count))
    }
    return PhaseManifold(azimuth: columns, elevation: rows, channels: channels)
  }

  package static func phase(_ place: SIMD2<Double>, _ azimuth: Double, _ elevation: Double) -> Double {
    2 * .pi * (place.x * sin(azimuth) * cos(elevation) + place.y * sin(elevation))
  }

  package static let lShape = [SIMD2(0.5, 0), SIMD2(0, 0.5)]
}
