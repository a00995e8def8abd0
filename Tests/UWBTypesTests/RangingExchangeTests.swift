import Numerics
import Testing
import UWBDSP

@Suite struct RangingExchangeTests {
  /// Four messages, the responder's own poll among them: all are there in the order sent, and those without an impulse response are not.
  @Test func receptionsOfFourMessages() {
    func message(_ ticks: UInt64, heard: Bool = true) -> RangingMessage {
      let response = ChannelImpulseResponse([Complex<Float>(1, 0)])
      return RangingMessage(
        reception: Reception(time: DeviceTime(ticks: ticks), impulseResponse: heard ? response : nil))
    }
    var exchange = RangingExchange(
      index: 0, time: 0, peer: DeviceAddress(rawValue: 1), poll: message(1, heard: false), response: message(2),
      secondPoll: message(3), final: message(4))
    #expect(exchange.receptionsWithImpulseResponse.map(\.time.ticks) == [2, 3, 4])
    exchange.secondPoll = nil
    #expect(exchange.receptionsWithImpulseResponse.map(\.time.ticks) == [2, 4])
  }

  @Test("A copy is a value of its own: what changes in it leaves the first as it was")
  func copiesAreIndependent() {
    let first = RangingExchange(index: 1, time: 2, peer: DeviceAddress(rawValue: 3), poll: RangingMessage())
    var second = first
    second.index = 10
    second.time = 20
    second.peer = DeviceAddress(rawValue: 30)
    second.local = DeviceAddress(rawValue: 40)
    second.initiator = .local
    second.poll.transmitted = DeviceTime(ticks: 5)
    second.poll.reception = Reception(time: DeviceTime(ticks: 6), firstPathAmplitudes: SIMD3(1, 2, 3))
    second.response = RangingMessage(transmitted: DeviceTime(ticks: 7))
    second.secondPoll = RangingMessage(transmitted: DeviceTime(ticks: 8))
    second.final = RangingMessage(transmitted: DeviceTime(ticks: 9))
    second.counterBits = 32
    second.chipReport = ChipReport(distance: 1)
    second.phaseDifferences = [1]
    second.ready = RadioMeasurement(distance: 2)
    second.hasFailed = true
    second.truth = GroundTruth(distance: 3)
    second.peerPosition = SIMD3(4, 5, 6)

    #expect(first.index == 1 && first.time == 2 && first.peer == DeviceAddress(rawValue: 3) && first.local == nil)
    #expect(first.initiator == .peer && first.poll.transmitted == nil && first.poll.reception == nil)
    #expect(first.response == nil && first.secondPoll == nil && first.final == nil && first.counterBits == 40)
    #expect(first.chipReport == nil && first.phaseDifferences == nil && first.ready == nil && !first.hasFailed)
    #expect(first.truth == nil && first.peerPosition == nil)

    #expect(second.index == 10 && second.time == 20 && second.peer == DeviceAddress(rawValue: 30))
    #expect(second.local == DeviceAddress(rawValue: 40) && second.initiator == .local && second.counterBits == 32)
    #expect(second.poll.transmitted == DeviceTime(ticks: 5) && second.poll.reception?.time == DeviceTime(ticks: 6))
    #expect(second.poll.reception?.firstPathAmplitudes == SIMD3(1, 2, 3))
    #expect(
      second.response?.transmitted == DeviceTime(ticks: 7) && second.secondPoll?.transmitted == DeviceTime(ticks: 8))
    #expect(second.final?.transmitted == DeviceTime(ticks: 9) && second.chipReport == ChipReport(distance: 1))
    #expect(second.phaseDifferences == [1] && second.ready == RadioMeasurement(distance: 2) && second.hasFailed)
    #expect(second.truth == GroundTruth(distance: 3) && second.peerPosition == SIMD3(4, 5, 6))
  }
}
