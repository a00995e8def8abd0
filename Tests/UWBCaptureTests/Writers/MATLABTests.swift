import Foundation
import TestSupport
import Testing
import UWBCapture
import UWBDSP

/// MATLAB files as SciPy reads them.
@Suite(Python.hasSigMF) struct MATLABTests {
  /// Polls and responses with CIRs of 2 antennas × 3 taps, an exchange without one, and a CIR of another shape.
  private static func exchanges() -> [RangingExchange] {
    var random = DecaRangingGenerator(seed: 91)
    func message(_ ticks: UInt64, taps: Int) -> RangingMessage {
      let storage = TapStorage(byteCount: 8 * taps)
      storage.withMutableBytes { bytes in
        for index in 0..<4 * taps {
          let value = Int16.random(in: -999...999, using: &random).littleEndian
          bytes.storeBytes(of: value, toByteOffset: 2 * index, as: Int16.self)
        }
      }
      let response = ChannelImpulseResponse(
        storage: storage, format: .int16, antennaCount: 2, tapCount: taps, scale: 0.5)
      return RangingMessage(
        reception: Reception(time: DeviceTime(ticks: ticks), chipFirstPathTaps: 1.25, impulseResponse: response))
    }
    var exchanges = (0..<3).map { index in
      RangingExchange(
        index: index, time: 0.5 * Double(index), peer: DeviceAddress(rawValue: 0xF123_4567_89AB_CDEF),
        poll: message(UInt64(1 << 39 + index), taps: 3), response: message(7, taps: 3))
    }
    exchanges[0].truth = GroundTruth(distance: 3.5)
    exchanges[1].response = message(8, taps: 4)
    exchanges.append(
      RangingExchange(index: 3, time: 2, peer: DeviceAddress(rawValue: 1), poll: RangingMessage()))
    return exchanges
  }

  @Test func scipyLoadsEveryVariable() throws {
    let folder = try TemporaryFolder()
    let exchanges = Self.exchanges()
    let writer = try createCapture(folder.path + "/a.mat", header: SigMFTests.header)
    for exchange in exchanges { try writer.append(exchange) }
    try writer.finish()
    #expect(writer.lost.counts["otherShape"] == 1 && writer.lost.counts["exchangesWithoutCIR"] == 1)
    let (status, output) = try Python.run(
      """
      import sys, scipy.io
      a = scipy.io.loadmat(sys.argv[1])
      print(a["cirs"].dtype, a["cirs"].shape)
      print(*(repr(float(part)) for cir in a["cirs"].T for row in cir for tap in row for part in (tap.real, tap.imag)))
      for name in ["peer", "exchange", "message", "time_s", "transmitted_ticks", "received_ticks", "first_path_taps",
                   "received_power_dbm", "tap_spacing_s", "true_distance_m"]:
          print(name, *a[name].ravel())
      """, folder.path + "/a.mat")
    #expect(status == 0)
    let kept = exchanges.flatMap { $0.receptionsWithImpulseResponse }.compactMap(\.impulseResponse).filter {
      $0.tapCount == 3
    }
    let samples = kept.flatMap { cir in
      (0..<2).flatMap { cir.samples(antenna: $0) }.flatMap { ["\($0.real)", "\($0.imaginary)"] }
    }
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "complex64 (3, 2, 5)", samples.joined(separator: " "),
        "peer" + String(repeating: " \(0xF123_4567_89AB_CDEF as UInt64)", count: 5), "exchange 0.0 0.0 1.0 2.0 2.0",
        "message 0.0 1.0 0.0 0.0 1.0", "time_s 0.0 0.0 0.5 1.0 1.0", "transmitted_ticks nan nan nan nan nan",
        "received_ticks 549755813888.0 7.0 549755813889.0 549755813890.0 7.0",
        "first_path_taps 1.25 1.25 1.25 1.25 1.25", "received_power_dbm nan nan nan nan nan",
        "tap_spacing_s" + String(repeating: " \(UWB.tap)", count: 5), "true_distance_m 3.5 3.5 nan nan nan",
      ])
  }

  @Test func nothingIsAFile() throws {
    let folder = try TemporaryFolder()
    try createCapture(folder.path + "/a.mat", header: SigMFTests.header).finish()
    let (status, output) = try Python.run(
      "import sys, scipy.io; print(scipy.io.loadmat(sys.argv[1])['cirs'].shape)", folder.path + "/a.mat")
    #expect(status == 0 && output == "(0, 1, 0)\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.mat"])
  }
}
