import Foundation
import TestSupport
import Testing
import UWBDSP
import UWBPlatform

/// `scripts/property` runs the long form; its environment says which seed and which batches.
@Suite struct EnginePropertyTests {
  private static let shortBatchCount = 36

  private static func number(_ name: String, or other: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? other
  }

  @Test func anyImpulseResponseHasAStatusOrAFiniteAnswer() {
    let seed = UInt64(Self.number("UWB_PROPERTY_SEED", or: 1))
    let first = Self.number("UWB_PROPERTY_FIRST", or: 0)
    let count = Self.number("UWB_PROPERTY_BATCHES", or: Self.shortBatchCount)
    for batch in first..<first + count {
      TrapReport.name = "a trap in seed \(seed), batch \(batch)"
      let found = EngineProperty(seed: seed, batch: batch).violation { TrapReport.name = $0 }
      #expect(found == nil)
    }
    TrapReport.name = ""
  }

  @Test func allMethodsAndFamiliesTakePart() {
    let batches = (0..<Self.shortBatchCount).map { EngineProperty(seed: 1, batch: $0) }
    #expect(Set(batches.compactMap(\.delay)) == Set(DelayMethod.all))
    #expect(Set(batches.map(\.angle)) == Set(AngleMethod.allCases))
    #expect(HostileImpulseResponse.Family.allCases.count == 16 && EngineProperty.batchCount % 16 == 0)
  }
}
