import PhysicalLimit

/// What it costs to read the taps of a CIR, from the nearest cache and from memory.
func measureMemory() {
  for (place, megabytes) in [("near cache", 0.004064), ("memory", 512.0)] {
    let count = Int(megabytes * 5e5)
    let numbers = (0..<count).map { Int16(truncatingIfNeeded: $0 &* 40_503) }
    var sum: Int64 = 0
    let taken = times(of: 1, seconds: 1) {
      numbers.withUnsafeBufferPointer { buffer in
        if let base = buffer.baseAddress { sum &+= uwb_read_memory(base, buffer.count) }
      }
    }
    let perResponse = taken.median / Double(count) * 2 * 1016
    print(fields: [
      "place": place, "gigabytes_per_second": 2e-9 * Double(count) / taken.median, "ns_per_cir": 1e9 * perResponse,
      "checksum": Int(truncatingIfNeeded: sum & 0xFFFF),
    ])
  }
}
