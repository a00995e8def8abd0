import Testing
import UWBDSP

@Suite struct DeviceProfileTests {
  @Test func profilesAreFoundByTheirNames() {
    for profile in DeviceProfile.all {
      #expect(DeviceProfile.named(profile.name) == profile)
    }
    #expect(Set(DeviceProfile.all.map(\.name)).count == DeviceProfile.all.count)
    #expect(DeviceProfile.named("no such radio") == nil)
  }

  @Test func unitsAgree() {
    #expect(abs(UWB.tick - 15.650_040_064e-12) < 1e-20)
    #expect(abs(UWB.tap - 1.001_602_564_1e-9) < 1e-18)
    #expect(abs(UWB.speedOfLightInAir * 1.0003 - 299_792_458) < 1)
  }
}
