import ArgumentParser
import Foundation
import UWBLive

/// The command line: one file a verb, no signal processing.
package struct Uwb: AsyncParsableCommand {
  package init() {}

  package static let configuration = CommandConfiguration(
    commandName: "uwb",
    abstract: "Ranging from raw ultra-wideband channel impulse responses.",
    discussion: """
      Data goes to standard output, progress and messages to standard error.
      Exit status: 0 good, 1 bad input, 64 wrong usage, 130 interrupted.

      EXAMPLE
        uwb simulate walk --out walk && uwb replay walk.sigmf-meta --output summary
      """,
    version: Version.text,
    subcommands: [
      ReplayCommand.self, PathsCommand.self, MergeCommand.self, InfoCommand.self, DescribeCommand.self,
      ConvertCommand.self, SimulateCommand.self, InspectCommand.self, EvaluateCommand.self, CalibrateCommand.self,
      AccessoryCommand.self, RoomCommand.self, RangeCommand.self, RadioCommand.self, ServeCommand.self,
      EstimatorsCommand.self,
    ])

  /// - Parameters:
  ///   - commit: The commit that the program was built from, for `--version`.
  ///   - server: Starts the HTTP server of `uwb serve`, which the program alone is linked with.
  package static func main(commit: String, server: @escaping StartLiveServer) async {
    Version.commit.withLock { $0 = commit }
    ServeCommand.server.withLock { $0 = server }
    await main()
  }

  package static func main() async {
    // A pipe without a reader is an error of writing, told like any other. As a signal it would end the program, updates that
    // were gathered and all, even where nothing but standard error has lost its reader.
    signal(SIGPIPE, SIG_IGN)
    // A standard stream that is closed would become the first file that is opened, and messages would be written into it. What
    // takes its place can't be read or written.
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", mode)
    }
    Interruption.listen()
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      let (verb, rest) = try Usage.check(arguments)
      try await run(arguments, verb, Array(rest))
    } catch let error as WrongUsage {
      Message.write(error.text)
      Foundation.exit(ExitCode.validationFailure.rawValue)
    } catch {
      end(error, arguments)
    }
  }

  private static func run(
    _ arguments: [String], _ verb: any ParsableCommand.Type, _ rest: [String]
  ) async throws {
    ReportFile.arguments.withLock { $0 = arguments }
    var command = try await parsed(arguments, verb, rest)
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      MessageOptions.tellCost()
    } catch let error as ValidationError {
      throw WrongUsage(problem: error.message, verb: type(of: command))
    }
  }

  /// The verb that the arguments ask for.
  ///
  /// A verb is parsed by itself: from the root the parser makes the options of all verbs. Help, and what is wrong with the arguments, come
  /// from the root, which knows the verb's whole name.
  private static func parsed(
    _ arguments: [String], _ verb: any ParsableCommand.Type, _ rest: [String]
  ) async throws -> any ParsableCommand {
    if verb.configuration.subcommands.isEmpty, let command = try? verb.parseAsRoot(rest), type(of: command) == verb {
      return command
    }
    return try await asyncParseAsRoot(arguments)
  }

  /// Ends the program with what was asked for (help), or with what went wrong.
  private static func end(_ error: any Error, _ arguments: [String]) -> Never {
    let code = exitCode(for: error)
    let text = fullMessage(for: error)
    if code.isSuccess {
      let output = ByteOutput()
      do {
        try output.write("\(text)\n")
        try output.flush()
      } catch {
        Message.write("Error: \(error)")
        Foundation.exit(EXIT_FAILURE)
      }
    } else if !text.isEmpty {
      Message.write(Usage.explained(text, arguments))
    }
    Foundation.exit(code.rawValue)
  }
}
