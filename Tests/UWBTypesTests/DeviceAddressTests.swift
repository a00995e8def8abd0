import TestSupport
import Testing
import UWBDSP

@Suite struct DeviceAddressTests {
  @Test func printsShortAndLongForms() {
    #expect(DeviceAddress(rawValue: 0).description == "0000")
    #expect(DeviceAddress(rawValue: 0x1F).description == "001f")
    #expect(DeviceAddress(rawValue: 0xFFFF).description == "ffff")
    #expect(DeviceAddress(rawValue: 0x1_0000).description == "0000000000010000")
    #expect(DeviceAddress(rawValue: .max).description == "ffffffffffffffff")
  }

  @Test(arguments: ["", " ", "g", "0x1f", "12345678901234567", "-1", "+1", "1 ", "१"])
  func refusesWhatIsNotHexadecimal(text: String) {
    #expect(DeviceAddress(text) == nil)
  }

  @Test func readsBothCases() {
    #expect(DeviceAddress("DEca0130A0001234")?.rawValue == 0xDECA_0130_A000_1234)
    #expect(DeviceAddress("0")?.rawValue == 0)
  }

  @Test func readsWhatItPrints() {
    var random = StatisticsRandom(seed: 21)
    for shift in 0..<64 {
      let address = DeviceAddress(rawValue: random.next() >> UInt64(shift))
      #expect(DeviceAddress(address.description) == address)
    }
  }
}
