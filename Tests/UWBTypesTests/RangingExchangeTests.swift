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
}
