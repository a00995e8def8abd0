import PhysicalLimit

/// The unit in which the pages count work: a forward and an inverse transform of 1024 points, single precision, planned by measurement.
struct TransformPair {
  private let transform: OpaquePointer
  private static let count = 200

  struct OutOfMemory: Error {}

  init() throws {
    guard let transform = uwb_transform_create(1024, 1) else { throw OutOfMemory() }
    self.transform = transform
  }

  /// What one pair takes: the shortest of five stretches.
  func seconds() -> Double {
    2 * shortest(of: 5) { uwb_transform_run(transform, Int32(Self.count)) } / Double(Self.count)
  }
}
