import Foundation
import Testing

/// Every number option has a range. A value beyond it, or none, is a usage error that states the range.
@Suite struct OptionRangeTests {
  @Test(
    "a number beyond an option's range is a usage error that states the range",
    arguments: [
      (["replay", "x"], "--threads", "1 to 256"), (["evaluate", "delay"], "--threads", "1 to 256"),
      (["evaluate", "angle"], "--threads", "1 to 256"), (["evaluate", "delay"], "--trials", "1 to 1000000"),
      (["evaluate", "angle"], "--trials", "1 to 1000000"), (["calibrate", "simulated"], "--sites", "1 to 1000000"),
      (["convert", "x", "y"], "--split", "1 to 1000000000"), (["replay", "x"], "--shard", "n from 1 … 1048576"),
      (["simulate", "walk"], "--seed", "0 to 18446744073709551615"),
      (["evaluate", "delay"], "--seed", "0 to 18446744073709551615"),
      (["inspect", "x"], "--exchange", "0 to 9007199254740991"), (["evaluate", "angle"], "--snapshots", "1 to 100000"),
      (["evaluate", "angle"], "--field-of-view", "0.1 to 90.0"), (["evaluate", "ranging"], "--walks", "0 to 100000"),
      (["evaluate", "sessions"], "--sessions", "1 to 100000"), (["evaluate", "sessions"], "--rate", "0.001 to 1000.0"),
      (["evaluate", "sessions"], "--seconds", "0.001 to 86400.0"),
      (["evaluate", "sessions"], "--stalled", "0 to 100000"), (["info", "x"], "--tap-spacing", "0.1 to 10.0"),
      (["info", "x"], "--first-path", "-1000000.0 to 1000000.0"), (["info", "x"], "--scale", "1e-15 to 1e+15"),
      (["calibrate", "delay", "x", "--out", "y"], "--place-deviation", "1e-09 to 1000.0"),
      (["calibrate", "delay", "x", "--out", "y"], "--survey-deviation", "1e-09 to 1000.0"),
      (["calibrate", "bias", "x", "--out", "y"], "--ridge", "1e-12 to 1000000000000.0"),
      (["accessory", "simulate"], "--update-rate", "0 to 255"),
      (["accessory", "simulate"], "--clock-drift", "0 to 65535"),
    ])
  func ranges(verb: [String], option: String, range: String) throws {
    for value in ["18446744073709551616", "-9223372036854775809", "1e999", "nan", "x"] {
      let run = try UwbProcess.run(verb + ["\(option)=\(value)"])
      #expect(run.status == 64, "\(option) \(value): \(run.status) \(run.errors)")
      #expect(run.errors.contains(option) && run.errors.contains(range), "\(option) \(value): \(run.errors)")
    }
  }

  @Test("as many threads as there may be fit into memory, and give the same output")
  func threads() throws {
    let folder = try TemporaryFolder()
    _ = try UwbProcess.run("simulate", "still", "--out", folder.path("s"))
    let one = try UwbProcess.run("replay", folder.path("s"), "--threads", "1")
    let limited = try UwbProcess.shell("ulimit -v 8000000; \"$0\" replay \"$1\" --threads 256", folder.path("s"))
    #expect(limited.status == 0 && limited.output == one.output, "\(limited.errors)")
  }
}
