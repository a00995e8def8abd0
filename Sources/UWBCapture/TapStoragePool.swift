import UWBTypes

/// Storages for CIRs that a streaming reader fills again once nobody else holds them: a long replay that lets go of
/// its exchanges allocates none after the first few.
struct TapStoragePool {
  private var storages: [TapStorage] = []
  /// Where the search for a free one begins: behind the one handed out last, which is the last to come back.
  private var next = 0
  private let capacity: Int

  /// Keeps at most `capacity` storages within reach; those beyond belong to whoever holds them.
  init(capacity: Int = 512) {
    self.capacity = capacity
  }

  /// A storage of at least so many bytes that nobody else refers to; what is in it is left over.
  mutating func storage(byteCount: Int) -> TapStorage {
    free(byteCount: byteCount) ?? insert(TapStorage(unfilledByteCount: byteCount))
  }

  /// A storage that holds the interleaved parts `samples` and that nobody else refers to.
  mutating func storage(holding samples: ArraySlice<Int16>) -> TapStorage {
    let byteCount = samples.count * MemoryLayout<Int16>.size
    let storage = storage(byteCount: byteCount)
    storage.withMutableBytes { target in
      for (index, sample) in zip(stride(from: 0, to: byteCount, by: 2), samples) {
        target.storeBytes(of: sample.littleEndian, toByteOffset: index, as: Int16.self)
      }
    }
    return storage
  }

  /// A storage that holds single-precision samples of these parts and that nobody else refers to.
  ///
  /// - Precondition: as many real as imaginary parts.
  mutating func storage(real: [Float], imaginary: [Float]) -> TapStorage {
    precondition(real.count == imaginary.count, "\(real.count) real and \(imaginary.count) imaginary parts")
    let byteCount = 2 * real.count * MemoryLayout<Float>.size
    let storage = storage(byteCount: byteCount)
    storage.withMutableBytes { target in
      for index in real.indices {
        target.storeBytes(of: real[index].bitPattern.littleEndian, toByteOffset: 8 * index, as: UInt32.self)
        target.storeBytes(of: imaginary[index].bitPattern.littleEndian, toByteOffset: 8 * index + 4, as: UInt32.self)
      }
    }
    return storage
  }

  private mutating func free(byteCount: Int) -> TapStorage? {
    for offset in storages.indices {
      let index = (next + offset) % storages.count
      if storages[index].byteCount >= byteCount, isKnownUniquelyReferenced(&storages[index]) {
        next = index + 1
        return storages[index]
      }
    }
    return nil
  }

  private mutating func insert(_ storage: TapStorage) -> TapStorage {
    if storages.count < capacity {
      storages.append(storage)
    } else {
      next = next % capacity
      storages[next] = storage
      next += 1
    }
    return storage
  }
}
