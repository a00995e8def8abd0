import UWBCalibration
import UWBCapture
import UWBDSP

/// The engine of the C interface: of a profile and of options as the command line spells them, for any number of threads.
package final class LibraryEngine: Sendable {
  /// What one thread measures with.
  // Unchecked: only the thread that borrowed it uses it.
  fileprivate final class Workspace: @unchecked Sendable {
    let memory: RangingEngine.Workspace
    let tapSpacing: Double
    var paths = ReceptionPaths()

    init(_ engine: RangingEngine, tapSpacing: Double) {
      memory = engine.makeWorkspace()
      self.tapSpacing = tapSpacing
    }
  }

  private let engine: RangingEngine
  private let input: InputOptions
  /// Begins to learn the radio's pulse; `nil` where the engine's stays.
  private let pulse: CapturePulse?
  /// Not in use now.
  private let idle = StateLock<[Workspace]>([])

  package var profile: String { engine.configuration.profile.name }
  package var estimator: String { engine.configuration.delay.name }

  /// - Throws: `LibraryError` for options that make no sense, or name files that can't be read.
  package convenience init(options arguments: [String]) throws {
    let options = try EngineOptions.parse(arguments)
    let (header, name) = (CaptureHeader(format: "npy", profile: options.input.profile ?? RadioName.dw1000), "CIRs")
    self.init(
      try options.engine(for: header, file: name), options.input, pulse: options.learning(of: header, file: name))
  }

  init(_ engine: RangingEngine, _ input: InputOptions, pulse: CapturePulse? = nil) {
    self.engine = engine
    self.input = input
    self.pulse = pulse
  }

  /// An engine with the pulse that the first CIRs of `block` show, if this one's is plainly wrong and nothing says to keep it. The command
  /// line does so with a capture.
  ///
  /// - Returns: `nil` where this engine's pulse stays; with it, what there is to tell people.
  /// - Throws: `LibraryError` for a block that is none.
  package func learning(from block: CIRBlock) throws -> (engine: LibraryEngine?, told: String?) {
    let block = try checked(block)
    guard var pulse, block.count >= PulseMisfit.leastCount else { return (nil, nil) }
    for cir in 0..<block.count {
      guard !pulse.isDecided else { break }
      if let response = block.response(cir) { pulse.add(response) }
    }
    let outcome = pulse.outcome()
    var configuration = engine.configuration
    let told = CapturePulse.text(outcome, configuration.profile)
    guard outcome.estimate != nil else { return (nil, told) }
    configuration.profile = configuration.profile.with(outcome)
    return (LibraryEngine(RangingEngine(configuration), input), told)
  }

  private func checked(_ block: CIRBlock) throws -> CIRBlock {
    try block.checked(
      scale: input.scale ?? 1, tapSpacing: input.tapSpacing.map { $0 * 1e-9 } ?? UWB.tap,
      firstPathTaps: input.firstPath)
  }

  /// Finds the first paths in all CIRs of `block`, which has to stay where it is meanwhile.
  ///
  /// - Parameters:
  ///   - isStopped: asked on this thread, between CIRs.
  ///   - deliver: takes CIR, antenna and row, on any thread, in any order.
  /// - Throws: `LibraryError` for a block that is none, or once it was stopped.
  package func findFirstPaths(
    in block: CIRBlock, threads: Int, isStopped: () -> Bool,
    deliver: @escaping @Sendable (_ cir: Int, _ antenna: Int, PathRow) -> Void
  ) throws {
    guard OptionRange.threads.contains(threads) else {
      throw LibraryError.badArgument("\(threads) threads: give a number from \(OptionRange.threads.help).")
    }
    let block = try checked(block)
    var next = 0
    var wasStopped = false
    // Nothing is thrown out of the pool: its threads then have done with the memory when it returns.
    let pool = MeasuringPool(WorkPool(threads: threads)) { [self] in
      let loan = Loan(of: self, tapSpacing: block.tapSpacing)
      return { [self] (cir: Int) in findPaths(cir, of: block, using: loan.workspace, deliver) }
    }
    try pool.run {
      guard next < block.count, !wasStopped else { return nil }
      wasStopped = isStopped()
      defer { next += 1 }
      return wasStopped ? nil : next
    } deliver: { _, _ in
    }
    if wasStopped { throw LibraryError.interrupted }
  }

  private func findPaths(
    _ cir: Int, of block: CIRBlock, using workspace: Workspace, _ deliver: (Int, Int, PathRow) -> Void
  ) {
    let reception = Reception(
      time: DeviceTime(ticks: 0), chipFirstPathTaps: block.firstPathTaps, impulseResponse: block.response(cir))
    engine.findPaths(in: reception, into: &workspace.paths, using: workspace.memory)
    for antenna in workspace.paths.antennas.indices {
      deliver(cir, antenna, PathRow(workspace.paths, antenna: antenna, of: reception, by: engine))
    }
  }

  /// Distance and direction of one exchange alone.
  package func measure(_ exchange: RangingExchange) -> UpdateRow {
    let loan = Loan(
      of: self, tapSpacing: exchange.receptionsWithImpulseResponse.first?.impulseResponse?.tapSpacing ?? UWB.tap)
    return UpdateRow(engine.measure(exchange, using: loan.workspace.memory), of: exchange)
  }
}

extension LibraryEngine {
  /// A workspace for as long as this lives. Making one costs as much as many CIRs.
  private final class Loan {
    let workspace: Workspace
    private let owner: LibraryEngine

    init(of owner: LibraryEngine, tapSpacing: Double) {
      self.owner = owner
      // A workspace takes few tap spacings: what it has seen before must not decide what it does now.
      let known = owner.idle.withLock { idle in
        idle.lastIndex { $0.tapSpacing == tapSpacing }.map { idle.remove(at: $0) }
      }
      workspace = known ?? Workspace(owner.engine, tapSpacing: tapSpacing)
    }

    deinit {
      owner.idle.withLock { idle in
        if idle.count == OptionRange.threads.upperBound { idle.removeFirst() }
        idle.append(workspace)
      }
    }
  }
}
