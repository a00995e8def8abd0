import Foundation
import TestSupport
import Testing
import UWBDSP

@testable import UWBCapture

/// Against the reference implementation, the Python package `sigmf`, where it is installed.
@Suite(Python.hasSigMF)
struct SigMFPythonTests {
  /// The parts of a CIR's samples as 32-bit floating-point numbers, tap after tap, antennas side by side.
  private func interleaved(_ cir: ChannelImpulseResponse) -> [UInt32] {
    cir.storage.withBytes { bytes in
      (0..<cir.tapCount).flatMap { tap in
        (0..<cir.antennaCount).flatMap { antenna -> [UInt32] in
          let start = cir.byteOffset(antenna: antenna, tap: tap)
          return (0..<2).map { part in
            switch cir.format {
            case .int16:
              Float(bytes.loadUnaligned(fromByteOffset: start + 2 * part, as: Int16.self)).bitPattern
            case .float32: bytes.loadUnaligned(fromByteOffset: start + 4 * part, as: UInt32.self)
            }
          }
        }
      }
    }
  }

  @Test(arguments: SigMFTests.layouts) func theValidatorAndTheReaderTakeOurFiles(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    let written = SigMFTests.exchanges(30, layout: layout, seed: 77)
    try SigMFTests.write(written, to: folder.path + "/a")
    let (status, output) = try Python.run(
      """
      import sys, warnings, numpy, sigmf
      warnings.simplefilter("error")
      recording = sigmf.fromfile(sys.argv[1], autoscale=False)  # compares the hash, too
      recording.validate()
      for index, capture in enumerate(recording.get_captures()):
          if capture["uwb:tap_count"] == 0:
              continue
          samples = recording.read_samples(capture["core:sample_start"], capture["uwb:tap_count"])
          print(" ".join(str(n) for n in numpy.ascontiguousarray(samples).view(numpy.uint32).ravel()))
      """, folder.path + "/a.sigmf-meta")
    try #require(status == 0)
    let expected = written.flatMap(\.messages).compactMap { $0.reception?.impulseResponse }
    let found = output.split(separator: "\n").map { $0.split(separator: " ").map { UInt32($0) } }
    try #require(found.count == expected.count)
    for (index, (samples, response)) in zip(found, expected).enumerated() {
      let isEqual = samples == interleaved(response)
      #expect(isEqual, "CIR \(index)")
    }
  }

  @Test(arguments: SigMFTests.layouts) func whatItWritesAgainIsReadToTheBit(_ layout: SigMFLayout) throws {
    let folder = try TemporaryFolder()
    let written = SigMFTests.exchanges(30, layout: layout, seed: 78)
    try SigMFTests.write(written, to: folder.path + "/a")
    let (status, _) = try Python.run(
      """
      import shutil, sys, sigmf
      recording = sigmf.fromfile(sys.argv[1] + "/a.sigmf-meta")
      shutil.copy(sys.argv[1] + "/a.sigmf-data", sys.argv[1] + "/b.sigmf-data")
      again = sigmf.SigMFFile(metadata=recording.dumps(), data_file=sys.argv[1] + "/b.sigmf-data")
      again.tofile(sys.argv[1] + "/b.sigmf-meta", pretty=True)
      """, folder.path)
    try #require(status == 0)
    let (read, reader) = try SigMFTests.read(folder.path + "/b")
    #expect(read.count == written.count)
    // Python takes the “-0” that Foundation writes for an integer, and so loses the sign of a zero.
    func positiveZero(_ text: String) -> String { text.replacing("8000000000000000", with: "0") }
    for (one, other) in zip(read, written) {
      let isEqual = positiveZero(SigMFTests.bits(one)) == positiveZero(SigMFTests.bits(other))
      #expect(isEqual, "exchange \(other.index)")
    }
    #expect(reader.skipped.isEmpty)
    #expect(reader.header.array == SigMFTests.header.array)
  }
}
