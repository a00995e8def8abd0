/// A fixed run of numbers on a 64-byte boundary, zeroed at birth: what workspaces are made of.
///
/// FFTW runs up to twice as slow on less aligned memory, and plans may only be executed on memory aligned as the
/// memory they were planned on.
package final class AlignedBuffer<Element: BitwiseCopyable> {
  package let pointer: UnsafeMutablePointer<Element>
  package let count: Int

  package init(count: Int, zero: Element) {
    self.count = count
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, count) * MemoryLayout<Element>.stride, alignment: 64)
    pointer = raw.bindMemory(to: Element.self, capacity: max(1, count))
    pointer.initialize(repeating: zero, count: max(1, count))
  }

  deinit {
    UnsafeMutableRawPointer(pointer).deallocate()
  }
}
