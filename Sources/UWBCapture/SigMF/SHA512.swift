/// The hash that SigMF names a data file by: SHA-512 (FIPS 180-4), over bytes that come in parts.
struct SHA512 {
  private var state: [UInt64] = [
    0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
  ]
  private var schedule = [UInt64](repeating: 0, count: 80)
  private var block: [UInt8] = []
  private var byteCount: UInt64 = 0

  init() {
    block.reserveCapacity(128)
  }

  /// Takes the next bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount &+= UInt64(bytes.count)
    var position = 0
    if !block.isEmpty {
      position = min(128 - block.count, bytes.count)
      block.append(contentsOf: bytes[..<position])
      guard block.count == 128 else { return }
      block.withUnsafeBytes { Self.compress($0, from: 0, &state, &schedule) }
      block.removeAll(keepingCapacity: true)
    }
    while position + 128 <= bytes.count {
      Self.compress(bytes, from: position, &state, &schedule)
      position += 128
    }
    block.append(contentsOf: bytes[position...])
  }

  /// The hash of a file, or of the part of it that `range` names.
  ///
  /// - Throws: `CaptureError` where it can't be read.
  static func hexadecimal(of file: FilePart) throws -> String {
    let source = try ByteSource(file)
    var hash = SHA512()
    repeat {
      hash.update(source.buffered)
      source.consume(source.buffered.count)
    } while try source.fill()
    return hash.hexadecimal()
  }

  /// The hash of all bytes so far, 128 hexadecimal digits.
  func hexadecimal() -> String {
    var copy = self
    let bits = byteCount &* 8
    let padding = (block.count < 112 ? 112 : 240) - block.count
    // Lengths of 2⁶⁴ bits and more don't occur: the upper half of the 128-bit length is zero.
    let tail =
      [0x80] + [UInt8](repeating: 0, count: padding - 1 + 8)
      + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
    tail.withUnsafeBytes { copy.update($0) }
    return copy.state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  // Over raw memory: the checked version is several times slower, and a long recording is gigabytes.
  private static func compress(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ state: inout [UInt64], _ schedule: inout [UInt64]
  ) {
    constants.withUnsafeBufferPointer { constants in
      schedule.withUnsafeMutableBufferPointer { schedule in
        state.withUnsafeMutableBufferPointer { state in
          compress(bytes, from: start, state, schedule, constants)
        }
      }
    }
  }

  private static func compress(
    _ bytes: UnsafeRawBufferPointer, from start: Int, _ state: UnsafeMutableBufferPointer<UInt64>,
    _ schedule: UnsafeMutableBufferPointer<UInt64>, _ constants: UnsafeBufferPointer<UInt64>
  ) {
    @inline(__always) func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
      word &>> count | word &<< (64 &- count)
    }
    for index in 0..<16 {
      schedule[index] = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 8 * index, as: UInt64.self))
    }
    for index in 16..<80 {
      let early = schedule[index &- 15]
      let late = schedule[index &- 2]
      let sums =
        (rotated(early, 1) ^ rotated(early, 8) ^ early &>> 7) &+ (rotated(late, 19) ^ rotated(late, 61) ^ late &>> 6)
      schedule[index] = schedule[index &- 16] &+ schedule[index &- 7] &+ sums
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<80 {
      let choice = (e & f) ^ (~e & g)
      let upper = rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)
      let one = h &+ upper &+ choice &+ constants[index] &+ schedule[index]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let two = (rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)) &+ majority
      h = g
      g = f
      f = e
      e = d &+ one
      d = c
      c = b
      b = a
      a = one &+ two
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  // The first 64 bits of the fractional parts of the cube roots of the first eighty primes, worked out exactly:
  // ⌊∛p·2⁶⁴⌋ mod 2⁶⁴ is the integer cube root of p·2¹⁹².
  private static let constants: [UInt64] = {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < 80 {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map(cubeRootFraction)
  }()

  // Binary search over the fraction's bits: root³ ≤ p·2¹⁹², compared in four 64-bit words.
  private static func cubeRootFraction(_ prime: UInt64) -> UInt64 {
    var whole: UInt64 = 1
    while (whole + 1) * (whole + 1) * (whole + 1) <= prime { whole += 1 }
    var fraction: UInt64 = 0
    for bit in (0..<64).reversed() {
      let attempt = fraction | 1 << UInt64(bit)
      if cube(whole, attempt).lexicographicallyPrecedes([prime, 0, 0, 1]) { fraction = attempt }
    }
    return fraction
  }

  // (whole·2⁶⁴ + fraction)³ as four words, most significant first.
  private static func cube(_ whole: UInt64, _ fraction: UInt64) -> [UInt64] {
    let number = [fraction, whole]
    var product: [UInt64] = [1, 0, 0, 0]
    for _ in 0..<3 {
      var next = [UInt64](repeating: 0, count: 4)
      for (i, x) in number.enumerated() {
        var carry: UInt64 = 0
        for (j, y) in product.enumerated() where i + j < 4 {
          let (high, low) = x.multipliedFullWidth(by: y)
          let (first, overflow) = next[i + j].addingReportingOverflow(low)
          let (second, again) = first.addingReportingOverflow(carry)
          next[i + j] = second
          carry = high &+ (overflow ? 1 : 0) &+ (again ? 1 : 0)
        }
      }
      product = next
    }
    return product.reversed()
  }
}
