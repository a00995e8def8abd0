import Foundation
import Testing

@testable import uwb

@Suite("replay --output mcap")
struct MCAPTests {
  private static let interpreter = ProcessInfo.processInfo.environment["UWB_PYTHON"] ?? "python3"
  private static let hasMCAP: ConditionTrait = .enabled(
    if: (try? python("import mcap"))?.status == 0,
    "\(interpreter) has no package mcap: scripts/test installs it")

  private static func python(_ program: String, _ arguments: String...) throws -> UwbProcess {
    try UwbProcess.run([interpreter, "-c", program] + arguments, program: URL(fileURLWithPath: "/usr/bin/env"))
  }

  /// Writes what `uwb` prints to a file.
  private static func write(_ arguments: [String], to path: String) throws {
    let run = try UwbProcess.run(
      ["-c", "\"$0\" \"$@\" > '\(path)'", UwbProcess.executable.path] + arguments,
      program: URL(fileURLWithPath: "/bin/bash"))
    #expect(run.status == 0, "\(run.errors)")
  }

  private static func walk(_ folder: TemporaryFolder) throws -> String {
    let run = try UwbProcess.run("simulate", "walk", "--out", folder.path("walk"))
    #expect(run.status == 0, "\(run.errors)")
    return folder.path("walk.sigmf-meta")
  }

  /// Reads by the index and without it, both with all checksums; compares lines with messages, and messages with their schemas.
  private static let check = """
    import json, sys
    from mcap.reader import make_reader, NonSeekingReader
    path, lines = sys.argv[1], open(sys.argv[2]).read().splitlines()
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary.statistics.message_count == len(lines) > 0
        indexed = sorted(m.data.decode() for _, _, m in reader.iter_messages())
        assert indexed == sorted(lines), "by the index"
        updates = [m for _, _, m in reader.iter_messages(topics=["/uwb/update"])]
        assert [m.log_time for m in updates] == sorted(m.log_time for m in updates)
    with open(path, "rb") as file:
        read = list(NonSeekingReader(file, validate_crcs=True).iter_messages(log_time_order=False))
    assert [m.data.decode() for _, _, m in read] == lines, "in order"
    kinds = {"string": str, "number": (int, float), "integer": int, "array": list, "object": dict}
    def fits(value, schema, place):
        if value is None: return
        assert isinstance(value, kinds[schema["type"]]), (place, value)
        if schema["type"] == "object":
            if "additionalProperties" not in schema:
                names = [n for n in schema["properties"] if n in value or n in schema["required"]]
                assert list(value) == names, (place, list(value), names)
            for name, part in value.items():
                fits(part, schema["properties"].get(name) or schema["additionalProperties"], place + "." + name)
        if schema["type"] == "array":
            for part in value: fits(part, schema["items"], place + "[]")
    for schema, channel, message in read:
        value = json.loads(message.data)
        assert channel.message_encoding == "json" and schema.encoding == "jsonschema"
        assert channel.topic == "/uwb/" + value["event"] and schema.name == "uwb." + value["event"]
        fits(value, json.loads(schema.data), value["event"])
        if "time_s" in value: assert abs(message.log_time - value["time_s"] * 1e9) <= 501, message
    print(len(summary.chunk_indexes), len(lines))
    """

  @Test("its messages are the lines of ndjson and fit their schemas", hasMCAP)
  func messages() throws {
    let folder = try TemporaryFolder()
    let captures = [try Self.walk(folder), folder.path("a.log")]
    try Data(ConvertTests.log(5).0.utf8).write(to: URL(fileURLWithPath: captures[1]))
    for (name, arguments) in [("chip", ["--delay", "chip"]), ("usual", [])] {
      try Self.write(["replay"] + captures + arguments + ["--output", "mcap"], to: folder.path("\(name).mcap"))
      try Self.write(["replay"] + captures + arguments, to: folder.path("\(name).ndjson"))
      let checked = try Self.python(Self.check, folder.path("\(name).mcap"), folder.path("\(name).ndjson"))
      #expect(checked.status == 0, "\(checked.errors)")
    }
  }

  @Test("the same input gives the same bytes, for any number of threads and through merge", hasMCAP)
  func sameBytes() throws {
    let folder = try TemporaryFolder()
    let walk = try Self.walk(folder)
    for threads in ["1", "3"] {
      try Self.write(["replay", walk, "--threads", threads, "--output", "mcap"], to: folder.path(threads))
    }
    for shard in ["1/2", "2/2"] {
      try Self.write(["replay", walk, "--shard", shard], to: folder.path("s\(shard.first ?? "0")"))
    }
    try Self.write(["merge", folder.path("s1"), folder.path("s2"), "--output", "mcap"], to: folder.path("merged"))
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path("1")))
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("3"))) == whole)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("merged"))) == whole)
  }

  @Test("several chunks are found by the index", hasMCAP)
  func chunks() throws {
    let folder = try TemporaryFolder()
    var bytes: [UInt8] = []
    var writer = try MCAPWriter(
      channels: ReplayField.events.map { event in
        .init(
          topic: "/uwb/\(event.name)", schemaName: "uwb.\(event.name)",
          schema: ReplayField.schema(event.name, event.summary, event.fields))
      }
    ) { bytes += $0 }
    var lines = ""
    for index in 0..<300 {
      let line =
        "{\"event\":\"removed\",\"capture\":\"\(String(repeating: "x", count: 10_000))\",\"peer\":\"\(index)\",\"reason\":\"timeout\",\"time_s\":\(index)}"
      try writer.append(2, time: UInt64(index) * 1_000_000_000, Array(line.utf8))
      lines += line + "\n"
    }
    try writer.finish()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path("c.mcap")))
    try Data(lines.utf8).write(to: URL(fileURLWithPath: folder.path("c.ndjson")))
    let checked = try Self.python(
      Self.check.replacingOccurrences(of: "\"/uwb/update\"", with: "\"/uwb/removed\""), folder.path("c.mcap"),
      folder.path("c.ndjson"))
    #expect(checked.status == 0 && checked.output == "3 300\n", "\(checked.errors) \(checked.output)")
  }

  /// The published value for these nine digits.
  @Test func checksumIsTheUsualOne() {
    #expect(Checksum.of(Array("123456789".utf8)) == 0xCBF4_3926)
    var pieces = Checksum()
    pieces.add(Array("1234".utf8))
    pieces.add([])
    pieces.add(Array("56789".utf8))
    #expect(pieces.value == 0xCBF4_3926)
  }

  @Test("every field is in the reference")
  func documented() throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../Documentation/reference/CommandLine.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for event in ReplayField.events {
      for field in event.fields { #expect(text.contains("`\(field.name)`"), "\(event.name): \(field.name)") }
    }
  }
}
