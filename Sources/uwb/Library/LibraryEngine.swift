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
  private let scale: Float
  private let tapSpacing: Double
  private let firstPathTaps: Double?
  /// Not in use now.
  private let idle = StateLock<[Workspace]>([])

  package var profile: String { engine.configuration.profile.name }
  package var estimator: String { engine.configuration.delay.name }

  /// - Throws: `LibraryError` for options that make no sense, or name files that can't be read.
  package convenience init(options arguments: [String]) throws {
    let options = try EngineOptions.parse(arguments)
    let header = CaptureHeader(format: "npy", profile: options.input.profile ?? RadioName.dw1000)
    self.init(try options.engine(for: header, file: "CIRs"), options.input)
  }

  init(_ engine: RangingEngine, _ input: InputOptions) {
    self.engine = engine
    scale = input.scale ?? 1
    tapSpacing = input.tapSpacing.map { $0 * 1e-9 } ?? UWB.tap
    firstPathTaps = input.firstPath
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
    let block = try block.checked(scale: scale, tapSpacing: tapSpacing, firstPathTaps: firstPathTaps)
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
