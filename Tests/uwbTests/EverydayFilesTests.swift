import Foundation
import Testing

/// Files as people have them, written by Python's standard library in the bytes of the programs that people use: `uwb replay FILE`
/// gives the updates of the plain file, or ends with the command that helps.
@Suite("files as people have them") struct EverydayFilesTests {
  /// Makes the files in the folder that is its argument, of `walk.log`, `walk.ndjson`, `walk.csv` and `ranges.csv` there.
  private static let program = #"""
    import csv, gzip, io, json, os, struct, sys, zipfile
    os.chdir(sys.argv[1])
    read = lambda name: open(name, "rb").read()
    def write(name, content):
        with open(name, "wb") as file: file.write(content)
    log, ranges = read("walk.log"), read("ranges.csv").decode()
    lines = [json.loads(line) for line in read("walk.ndjson").splitlines()]
    rows = list(csv.reader(io.StringIO(read("walk.csv").decode())))

    # json.dumps as it is, with sorted keys, with NaN for null, in blocks; json.dump of a list; indented.
    text = lambda **options: "".join(json.dumps(line, **options) + "\n" for line in lines).encode()
    write("dumps.json", text())
    write("sorted keys.jsonl", text(sort_keys=True).replace(b"\n", b"\r\n"))
    floats = [json.loads(json.dumps(line), parse_int=lambda digits: float(digits)) for line in lines]
    write("floats.txt", "".join(json.dumps(line) + "\n" for line in floats).encode())
    write("list.json", json.dumps(lines).encode())
    write("indented.json", "\n".join(json.dumps(line, indent=2) for line in lines).encode())

    # pandas' to_csv: an index column without a name, whole numbers beside gaps become floats, truth values words.
    def cell(text, decimal):
        try: number = float(text)
        except ValueError: return text
        return repr(number).replace(".", decimal)
    def to_csv(rows, separator, decimal):
        out = io.StringIO()
        table = csv.writer(out, delimiter=separator, lineterminator="\n")
        table.writerow([""] + rows[0])
        for index, row in enumerate(rows[1:]):
            table.writerow([index] + [value if name in keep else cell(value, decimal) for name, value in zip(rows[0], row)])
        return out.getvalue()
    keep = ["exchange", "peer", "local", "first_path_amplitudes"]
    write("pandas.csv", to_csv(rows, ",", ".").encode())
    write("pandas semicolon.csv", to_csv(rows, ";", ",").encode())
    write("pandas tab.tsv", to_csv(rows, "\t", ".").encode())
    write("pandas.csv.gz", gzip.compress(to_csv(rows, ",", ".").encode()))

    # Excel: "CSV UTF-8", "Unicode text", "CSV" where a comma is the decimal sign.
    excel = ranges.replace("\n", "\r\n")
    write("Excel UTF-8.csv", b"\xef\xbb\xbf" + excel.encode())
    write("Excel Unicode.txt", b"\xff\xfe" + excel.replace(",", "\t").encode("utf-16-le"))
    write("Mappe1.csv", excel.replace(",", ";").replace(".", ",").encode())

    # PowerShell's > writes UTF-16, gzip a file or a pipe, an upload loses the name's ending, rotated logs are joined.
    write("powershell.log", b"\xff\xfe" + log.decode().replace("\r\n", "\n").replace("\n", "\r\n").encode("utf-16-le"))
    write("big-endian.log", b"\xfe\xff" + log.decode().encode("utf-16-be"))
    write("walk.log.gz", gzip.compress(log))
    write("4f1c2a", gzip.compress(text(separators=(",", ":"))))
    write("joined.gz", gzip.compress(log[:1000]) + gzip.compress(log[1000:]))
    write("cut.gz", gzip.compress(log)[:-200])
    write("Messung 3 (Kopie).dat", log.replace(b"\r\n", b"\n"))

    # What has to be unpacked or written anew.
    def archive(name, member):
        with zipfile.ZipFile(name, "w") as file: file.writestr(member, log)
    archive("walk.zip", "walk.log")
    archive("Mappe1.xlsx", "[Content_Types].xml")
    archive("cirs.npz", "cirs.npy")
    import bz2, lzma
    write("walk.log.bz2", bz2.compress(log))
    write("walk.log.xz", lzma.compress(log))
    write("cirs.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64")
    """#

  /// The folder with all files.
  private static func files() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Data(ConvertTests.log(4).text.utf8).write(to: URL(fileURLWithPath: folder.path("walk.log")))
    let ranges =
      "timestamp,poll_tx_ts,poll_rx_ts,resp_tx_ts,resp_rx_ts,Distance\n10.5,1000,5000,19205000,19201426,1.5\n"
      + "10.75,2000,6000,19206000,19202426,1.5\n"
    try Data(ranges.utf8).write(to: URL(fileURLWithPath: folder.path("ranges.csv")))
    for target in ["walk.ndjson", "walk.csv"] {
      let run = try UwbProcess.run("convert", folder.path("walk.log"), folder.path(target))
      try #require(run.status == 0, "\(run.errors)")
    }
    let python = ProcessInfo.processInfo.environment["UWB_PYTHON"] ?? "python3"
    let run = try UwbProcess.run(
      [python, "-c", program, folder.url.path], program: URL(fileURLWithPath: "/usr/bin/env"))
    try #require(run.status == 0, "\(run.errors)")
    return folder
  }

  /// The made-up log's CIRs are noise: the chip's own first paths give its distances.
  private static func replay(_ path: String) throws -> UwbProcess {
    try UwbProcess.run("replay", path, "--delay", "chip")
  }

  private static let read: [(plain: String, names: [String])] = [
    (
      "walk.log",
      ["powershell.log", "big-endian.log", "walk.log.gz", "joined.gz", "Messung 3 (Kopie).dat", "4f1c2a"]
        + ["dumps.json", "sorted keys.jsonl", "floats.txt"]
    ),
    // A table does not name the radio, nor the chip's program.
    ("walk.csv", ["pandas.csv", "pandas semicolon.csv", "pandas tab.tsv", "pandas.csv.gz"]),
    ("ranges.csv", ["Excel UTF-8.csv", "Excel Unicode.txt", "Mappe1.csv"]),
  ]

  private static let refused: [(name: String, shown: [String])] = [
    ("list.json", ["one JSON array", "jq -c '.[]'"]), ("indented.json", ["several lines", "jq -c ."]),
    ("walk.zip", ["zip archive", "unzip"]), ("Mappe1.xlsx", ["Excel workbook", "CSV"]),
    ("cirs.npz", ["several arrays", "numpy.save"]), ("walk.log.bz2", ["bzip2 -dc"]), ("walk.log.xz", ["xz -dc"]),
    ("cirs.mat", ["MATLAB", "scipy.io.loadmat"]),
  ]

  @Test func theyAreReadOrRefusedWithTheNextCommand() throws {
    let folder = try Self.files()
    for (plain, names) in Self.read {
      let wanted = ConvertTests.updates(try Self.replay(folder.path(plain)))
      try #require(wanted.count >= 2 && wanted.joined().contains("update"), "\(wanted)")
      for name in names {
        let run = try Self.replay(folder.path(name))
        #expect(run.status == 0 && ConvertTests.updates(run) == wanted, "\(name): \(run.errors)")
      }
    }
    for (name, shown) in Self.refused {
      let run = try UwbProcess.run("replay", folder.path(name))
      #expect(run.status == 1 && run.output.isEmpty, "\(name)")
      #expect(run.errors.split(separator: "\n").count == 1, "\(name): \(run.errors)")
      for part in [name] + shown { #expect(run.errors.contains(part), "\(name): \(run.errors)") }
    }
  }

  @Test func whatIsCutGivesWhatWasThere() throws {
    let folder = try Self.files()
    let run = try Self.replay(folder.path("cut.gz"))
    #expect(run.status == 0 && (2...4).contains(ConvertTests.updates(run).count), "\(run.output)")
    let summary = try #require(try run.events().last)
    #expect((summary["skipped_input"] as? [String: Int])?["truncatedGzip"] == 1, "\(summary)")
    #expect(try UwbProcess.run("info", folder.path("cut.gz")).output.contains("truncatedGzip"))
  }

  @Test("a folder is replayed in the order of its numbers; what is no capture is told")
  func folders() throws {
    let folder = try TemporaryFolder()
    let log = Data(ConvertTests.log(1).text.utf8)
    for name in ["run 10.log", "run 9.log", "notes.md"] {
      try (name == "notes.md" ? Data("hello\n".utf8) : log).write(to: URL(fileURLWithPath: folder.path(name)))
    }
    for argument in [folder.url.path, folder.path("*.log")] {
      let run = try UwbProcess.run("info", argument, "--output", "ndjson")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try run.events().compactMap { $0["capture"] as? String } == ["run 9.log", "run 10.log"])
      #expect(run.errors.contains("Passed over: \(folder.path("notes.md"))") == (argument == folder.url.path))
    }
  }
}
