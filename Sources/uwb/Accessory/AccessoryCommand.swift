import ArgumentParser
import Foundation
import NearbySession
import NearbySimulation
import UWBCapture

/// `uwb accessory`: the messages between an app and an accessory.
struct AccessoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accessory", abstract: "Read, write and answer the messages between an app and an accessory.",
    subcommands: [Decode.self, Encode.self, Simulate.self])

  struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the fields of messages as JSON, one object a line.",
      discussion: """
        A message is its id byte and the data, or the data alone. A file or standard input holds one message a line in
        hexadecimal, or one message as it is. A malformed line is reported, the others are still printed.

        EXAMPLE
          uwb accessory decode 0B010001001945554F4F00000B090600100EB400031BAF75655238D891C800
        """)

    @Argument(help: ArgumentHelp("Hexadecimal digits, a file, or - for standard input.", valueName: "hex|file|-"))
    var source: String

    @OptionGroup var messages: MessageOptions

    func run() throws {
      let output = ByteOutput()
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      var malformed = 0
      for (place, bytes) in try AccessoryInput.messages(source) {
        do {
          let text = try encoder.encode(AccessoryText(bytes: bytes))
          try output.write { $0 += [UInt8](text) + [UInt8(ascii: "\n")] }
        } catch let error as AccessoryMessageError {
          malformed += 1
          try output.flush()
          Message.write("\(place): \(error). Check that the message is whole and starts with its id or its version.")
        }
      }
      try output.flush()
      if malformed > 0 { throw ExitCode(1) }
    }
  }

  struct Encode: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Turn what decode prints back into bytes, in hexadecimal, one message a line.",
      discussion: """
        EXAMPLE
          uwb accessory decode log.txt | uwb accessory encode -
        """)

    @Argument(help: ArgumentHelp("A JSON object, a file of one object a line, or -.", valueName: "json|file|-"))
    var source: String

    @OptionGroup var messages: MessageOptions

    func run() throws {
      let output = ByteOutput()
      let lines: [(place: String, text: String)]
      if source.first == "{" {
        lines = [("argument", source)]
      } else {
        let text = String(decoding: try AccessoryInput.contents(source), as: UTF8.self)
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
          ("\(source), line \($0 + 1)", String($1))
        }
      }
      for (place, text) in lines where text.contains(where: { !$0.isWhitespace }) {
        let remedy = "Give objects as `uwb accessory decode` prints them."
        let bytes: [UInt8]
        do {
          bytes = try JSONDecoder().decode(AccessoryText.self, from: Data(text.utf8)).bytes()
        } catch let error as AccessoryText.Failure {
          throw CaptureError(file: place, problem: error.description, remedy: remedy)
        } catch let DecodingError.typeMismatch(_, context), let DecodingError.dataCorrupted(context),
          let DecodingError.valueNotFound(_, context)
        {
          let key = context.codingPath.last?.stringValue
          throw CaptureError(file: place, place: key, problem: context.debugDescription, remedy: remedy)
        } catch {
          throw CaptureError(file: place, problem: "is not a message", remedy: remedy)
        }
        try output.write(HexText.string(bytes) + "\n")
      }
      try output.flush()
    }
  }

  struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Be an accessory: messages in hexadecimal on standard input, one a line, answers on standard output.",
      discussion: """
        Answers initialize, configure and start, and stop. Malformed and unknown messages are reported on standard error.
        It ends with its input.

        EXAMPLE
          echo 0A | uwb accessory simulate | uwb accessory decode -
        """)

    @Option(help: ArgumentHelp("Short address, hexadecimal.", valueName: "hex"))
    var address = "0101"

    @Option(
      help: ArgumentHelp("State this clock drift, ppm: version 1.1.", valueName: "ppm"),
      transform: OptionRange.reader(UInt16.min...UInt16.max))
    var clockDrift: UInt16?

    @Option(
      help: ArgumentHelp("Preferred update rate: 0, 10 (1.3 Hz) or 20 (5.5 Hz).", valueName: "code"),
      transform: OptionRange.reader(UInt8.min...UInt8.max))
    var updateRate: UInt8 = 0

    @OptionGroup var messages: MessageOptions

    func validate() throws {
      guard UInt16(address, radix: 16).map({ $0 < 0xFFFE }) == true else {
        throw ValidationError("--address “\(address)” is not a short address, 0000 to FFFD.")
      }
    }

    func run() throws {
      let output = ByteOutput()
      var accessory = AccessorySimulator(
        .simulated(
          shortAddress: UInt16(address, radix: 16) ?? 0,
          preferredUpdateRate: AccessoryConfigurationData.UpdateRate(rawValue: updateRate),
          clockDriftppm: clockDrift))
      var number = 0
      while let line = readLine() {
        number += 1
        guard line.contains(where: { !$0.isWhitespace }) else { continue }
        guard let bytes = HexText.bytes(line) else {
          Message.write("-, line \(number): is not hexadecimal. Give one message a line.")
          continue
        }
        do throws(AccessoryMessageError) {
          let known = accessory.others.count
          let answers = try accessory.receive(bytes)
          if accessory.others.count > known {
            Message.write("-, line \(number): message \(bytes[0]) is not for an accessory")
          }
          for answer in answers { try? output.write(HexText.string(answer) + "\n") }
        } catch {
          Message.write("-, line \(number): \(error). Nothing was changed.")
        }
        try output.flush()
      }
    }
  }
}

/// Where the verbs of `uwb accessory` read from.
enum AccessoryInput {
  static func contents(_ source: String) throws -> Data {
    do {
      return try ByteSource(path: source).contents()
    } catch  where source != "-" {
      throw CaptureError(
        file: source, problem: "is neither hexadecimal nor a file that can be read",
        remedy: "Give an even number of hexadecimal digits, a file, or -.")
    }
  }

  /// Messages with where each is.
  static func messages(_ source: String) throws -> [(place: String, bytes: [UInt8])] {
    if source != "-", let bytes = HexText.bytes(source), !bytes.isEmpty { return [("argument", bytes)] }
    let data = try contents(source)
    // A message as it is holds bytes that no text has, or at least no hexadecimal.
    guard let text = String(data: data, encoding: .utf8), let first = firstLine(of: text), HexText.bytes(first) != nil
    else { return data.isEmpty ? [] : [(source, [UInt8](data))] }
    var messages: [(place: String, bytes: [UInt8])] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where line.contains(where: { !$0.isWhitespace }) {
      guard let bytes = HexText.bytes(line) else {
        throw CaptureError(
          file: source, place: "line \(index + 1)", problem: "is not hexadecimal",
          remedy: "Give one message a line, an even number of digits each.")
      }
      messages.append(("\(source), line \(index + 1)", bytes))
    }
    return messages
  }

  private static func firstLine(of text: String) -> Substring? {
    text.split(separator: "\n").first { $0.contains { !$0.isWhitespace } }
  }
}
