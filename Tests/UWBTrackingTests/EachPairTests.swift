import CAllocationCounter
import TestSupport
import Testing
import UWBDSP
import UWBTypes

@Suite struct EachPairTests {
  private static let locals: [DeviceAddress?] = [nil, DeviceAddress(rawValue: 9), DeviceAddress(rawValue: 10)]

  private static func pairs(peers: UInt64) -> [RadioPair] {
    (0..<peers).flatMap { peer in
      locals.map { RadioPair(local: $0, peer: DeviceAddress(rawValue: peer)) }
    }
  }

  @Test func aPeerIsForgottenWithAllItsPairs() {
    var states = EachPair(0)
    for (value, pair) in Self.pairs(peers: 3).enumerated() { states[pair] = value + 1 }
    states.forget(DeviceAddress(rawValue: 1))
    states.forget(DeviceAddress(rawValue: 77))
    for (value, pair) in Self.pairs(peers: 3).enumerated() {
      #expect(states[pair] == (pair.peer.rawValue == 1 ? 0 : value + 1))
    }
  }

  /// To forget one must not go through all the others: a copy of what is left would be allocated.
  @Test(
    .enabled(
      if: AllocationCount.isExact, "this machine: allocations are counted with glibc, optimised and without sanitizers")
  )
  func forgettingAllocatesNothing() {
    var states = EachPair(0)
    for pair in Self.pairs(peers: 100) { states[pair] = 1 }
    var peer: UInt64 = 0
    let count = AllocationCount.of {
      states.forget(DeviceAddress(rawValue: peer))
      peer += 1
    }
    #expect(count == 0)
    #expect(states[Self.pairs(peers: 100)[299]] == 1)
  }
}
