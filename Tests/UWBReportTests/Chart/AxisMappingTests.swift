import Testing

@testable import UWBReport

@Suite struct AxisMappingTests {
  @Test func fitsTheDataWithPadding() {
    let mapping = AxisMapping(Axis("", padding: 0.1), values: [3, .nan, 1, .infinity, 2])
    #expect(mapping.lower == 0.8 && abs(mapping.upper - 3.2) < 1e-12)
    #expect(abs((mapping.place(2) ?? 0) - 0.5) < 1e-12)
    #expect(mapping.place(.nan) == nil && mapping.place(.infinity) == nil)
  }

  @Test func emptyAndConstantDataStillHaveAnAxis() {
    for scale in [Axis.Scale.linear, .logarithmic, .decibel] {
      for values in [[], [.nan], [5], [5, 5], [0], [-3], [1e300], [.leastNonzeroMagnitude], [1e15, 1e15 - 1]]
        as [[Double]]
      {
        let mapping = AxisMapping(Axis("", scale: scale), values: values)
        #expect(mapping.lower < mapping.upper, "\(scale) \(values)")
        #expect(mapping.lower.isFinite && mapping.upper.isFinite)
        #expect(mapping.ticks(length: 300, spacing: 40).count >= 1, "\(scale) \(values)")
      }
    }
  }

  @Test func logarithmicPlaces() {
    let mapping = AxisMapping(Axis("", scale: .logarithmic, range: 0.01...100), values: [])
    #expect(abs((mapping.place(1) ?? 0) - 0.5) < 1e-12)
    #expect(mapping.place(0) == nil && mapping.place(-1) == nil)
  }

  @Test func unusableRangesFallBackToTheData() {
    let mapping = AxisMapping(Axis("", range: -Double.infinity...Double.infinity, padding: 0), values: [1, 2])
    #expect(mapping.lower == 1 && mapping.upper == 2)
    let logarithmic = AxisMapping(Axis("", scale: .logarithmic, range: -1...1, padding: 0), values: [1, 10])
    #expect(logarithmic.lower == 1 && logarithmic.upper == 10)
  }

  @Test func headroomKeepsTheLowerEnd() {
    var mapping = AxisMapping(Axis("", range: 0...8), values: [])
    mapping.leaveHeadroom(filling: 0.8)
    #expect(mapping.lower == 0 && abs(mapping.upper - 10) < 1e-12)
  }
}
