import ArgumentParser

/// The least that a Swift program with a command line does: it parses its arguments and prints a line. `scripts/performance` holds the start of
/// `uwb` against it.
@main struct BareStart: ParsableCommand {
  @Argument(help: "What to print.") var word: String

  func run() { print(word) }
}
