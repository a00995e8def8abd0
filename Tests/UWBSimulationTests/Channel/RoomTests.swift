import Numerics
import Testing
import UWBDSP
import UWBPlatform
import UWBSimulation

@Suite struct RoomTests {
  private static func room(_ count: Int) -> Room {
    Room(
      lower: SIMD3(-5, 0, -6), upper: SIMD3(5, 3, 4), lowerReflection: SIMD3(0.7, -0.5, 0.6),
      upperReflection: SIMD3(0.9, 0.4, 0.8), reflectionCount: count)
  }

  @Test func directAndFloorByHand() throws {
    let speed = 3e8
    let carrier = 1e9
    let paths = Self.room(1).paths(
      from: SIMD3(0, 1, -3), to: SIMD3(0, 1, 0), carrier: carrier, propagationSpeed: speed)
    #expect(paths.count == 7)
    let direct = try #require(paths.first)
    #expect(direct.delay == 0)
    #expect(direct.direction == SIMD3(0, 0, -1))
    // 3 m are ten wavelengths of 0.3 m: phase 0, amplitude ⅓.
    #expect((direct.amplitude - Complex(1.0 / 3, 0)).length < 1e-12)
    // The floor's image is 2 m below: √(3² + 2²) long, coming from below.
    let length = 13.0.squareRoot()
    let floor = try #require(paths.first { ($0.direction?.y ?? 0) < -0.1 })
    #expect(abs(floor.delay - (length - 3) / speed) < 1e-18)
    #expect(abs(floor.amplitude.length - 0.5 / length) < 1e-12)
    let angle = .pi - 2 * .pi * length / 0.3
    #expect((floor.amplitude - Complex(cos(angle), sin(angle)) * Complex(0.5 / length)).length < 1e-12)
    #expect(abs((floor.direction?.y ?? 0) + 2 / length) < 1e-12)
  }

  @Test(arguments: [(0, 1), (1, 7), (2, 25), (3, 63)])
  func pathCountIsOctahedral(_ order: Int, _ count: Int) {
    let paths = Self.room(order).paths(from: SIMD3(1, 1, -3), to: SIMD3(0.5, 1.5, 0), carrier: 8e9)
    #expect(paths.count == count)
    #expect(zip(paths, paths.dropFirst()).allSatisfy { $0.delay <= $1.delay })
    #expect(paths.first?.delay == 0)
  }

  @Test func doubleReflectionByHand() throws {
    // Between the walls x = −5 (0.7) and x = 5 (0.9), source x = 1: over the right wall, then the left one, the image
    // lies at 1 + 20.
    let paths = Self.room(2).paths(from: SIMD3(1, 1, 0), to: SIMD3(0, 1, 0), carrier: 8e9, propagationSpeed: 1)
    let twice = try #require(paths.first { abs($0.delay - 20) < 1e-9 })
    #expect(abs(twice.amplitude.length - 0.63 / 21) < 1e-12)
    #expect(twice.direction == SIMD3(1, 0, 0))
  }

  @Test func swappingEndsKeepsDelaysAndAmplitudes() {
    let a = SIMD3(1.2, 0.9, -3.3)
    let b = SIMD3(-0.4, 1.6, 0.7)
    let there = Self.room(2).paths(from: a, to: b, carrier: 8e9)
    let back = Self.room(2).paths(from: b, to: a, carrier: 8e9)
    for (p, q) in zip(there, back) {
      #expect(abs(p.delay - q.delay) < 1e-18)
      #expect((p.amplitude - q.amplitude).length < 1e-9)
    }
  }

  @Test func planesThatDontReflectMakeNoPath() {
    var room = Self.room(1)
    room.lowerReflection = .zero
    room.upperReflection = .zero
    #expect(room.paths(from: SIMD3(1, 1, -3), to: .zero, carrier: 8e9).count == 1)
  }
}
