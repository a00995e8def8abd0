#if !os(Windows)
  import NearbyPorts
  import NearbySession
  import NearbyUCI
  import UWBTypes

  /// A UCI chip as a session layer's radio.
  ///
  ///     let radio = try await UCIRadio.open(.serial("/dev/ttyACM0"))
  ///     let host = NearbyHost(radio: radio)
  ///
  /// Each link is one session of the chip, with the link's parameters. Its rounds are reported as ready measurements, or as missed. Those
  /// whose diagnostics hold impulse responses are exchanges: an engine given to `NearbyHost.attach` tells their line of sight.
  /// An unplugged chip is `suspended`. When it is back it is reset, the links that still range are started again, and it is `resumed`.
  public final class UCIRadio: RangingRadio {
    private struct State {
      var links: [UInt32: RangingLink] = [:]
      /// Who waits for the chip's first word.
      var opening: CheckedContinuation<Result<DeviceCapabilities, UCIConnectionError>, Never>?
      var isReady = false
      var reader = UCIRoundReader()
    }

    /// Capabilities of the chip.
    public let capabilities: DeviceCapabilities
    /// UCI chips take an address for each session.
    public let address: DeviceAddress? = nil
    public let reports: AsyncStream<RadioReport>
    private let core: Core

    /// Opens the port, resets the chip and asks what it can do.
    ///
    /// - Throws: `UCIConnectionError` where the port can't be opened or the chip does not answer; later on both are tried again.
    public static func open(
      _ address: PortAddress, settings: UCIConnection.Settings = UCIConnection.Settings()
    ) async throws(UCIConnectionError) -> UCIRadio {
      let (reports, continuation) = AsyncStream<RadioReport>.makeStream()
      let core = Core(UCIConnection(address, settings: settings), continuation)
      return UCIRadio(core, reports, try await core.open().get())
    }

    private init(_ core: Core, _ reports: AsyncStream<RadioReport>, _ capabilities: DeviceCapabilities) {
      self.core = core
      self.reports = reports
      self.capabilities = capabilities
    }

    deinit { core.connection.close() }

    /// - Throws: `UCIConnectionError` for parameters that no chip takes. A refusal by this one is reported as `failed`.
    public func start(_ link: RangingLink, parameters: RangingParameters) async throws {
      let id = parameters.sessionIdentifier
      let chip = try UCIRangingParameters(parameters)
      guard core.claim(id, link) else { throw UCIConnectionError.sessionInUse(id) }
      core.connection.start(id, parameters: chip.parameters)
    }

    /// Stops ranging on a link.
    public func stop(_ link: RangingLink) async {
      if let id = core.release(link) { core.connection.stop(id) }
    }

    /// What of the chip's traffic was wrong or passed over, and how often.
    public var problems: [UCIRoundReader.Problem: Int] { core.problems }

    /// Stops all sessions and leaves the chip; its reports end.
    public func close() { core.connection.close() }

    /// What the thread of the connection shares with the radio.
    private final class Core: Sendable {
      let connection: UCIConnection
      private let reports: AsyncStream<RadioReport>.Continuation
      private let state = StateLock(State())

      init(_ connection: UCIConnection, _ reports: AsyncStream<RadioReport>.Continuation) {
        self.connection = connection
        self.reports = reports
      }

      func open() async -> Result<DeviceCapabilities, UCIConnectionError> {
        await withCheckedContinuation { continuation in
          state.withLock { $0.opening = continuation }
          do throws(PortError) {
            try PortThread.start { [self] in
              // Nothing that the handler does throws.
              try? connection.run { self.take($0) }
              reports.finish()
            }
          } catch {
            opened(.failure(.port(error)))
          }
        }
      }

      func claim(_ id: UInt32, _ link: RangingLink) -> Bool {
        state.withLock { state in
          guard state.links[id] == nil || state.links[id] == link else { return false }
          state.links[id] = link
          return true
        }
      }

      func release(_ link: RangingLink) -> UInt32? {
        state.withLock { state in
          let id = state.links.first { $0.value == link }?.key
          if let id { state.links[id] = nil }
          return id
        }
      }

      var problems: [UCIRoundReader.Problem: Int] { state.withLock { $0.reader.problems } }

      private func link(_ id: UInt32) -> RangingLink? { state.withLock { $0.links[id] } }

      private func opened(_ result: Result<DeviceCapabilities, UCIConnectionError>) {
        let waiting = state.withLock { state in
          defer { state.opening = nil }
          return state.opening
        }
        waiting?.resume(returning: result)
      }

      private func take(_ event: UCIConnection.Event) {
        switch event {
        case .ready(let info, let capabilities):
          let isBack = state.withLock { state in
            defer { state.isReady = true }
            return state.opening == nil && !state.isReady
          }
          if isBack { reports.yield(.resumed) }
          opened(.success(DeviceCapabilities(capabilities, info.generation)))
        case .unavailable(let error):
          let (isOpening, wasReady) = state.withLock { state in
            defer { state.isReady = false }
            return (state.opening != nil, state.isReady)
          }
          if wasReady { reports.yield(.suspended) }
          // A chip that is not there at first is not waited for.
          if isOpening {
            connection.close()
            opened(.failure(error))
          }
        case .failed(let id, let error):
          guard let link = link(id) else { return }
          _ = release(link)
          reports.yield(.failed("\(error)", of: link))
        case .packet(let packet): report(state.withLock { $0.reader.push(packet) })
        case .started, .stopped, .info: break
        }
      }

      private func report(_ results: [UCIRoundReader.Result]) {
        for result in results {
          guard let link = result.sessionID.flatMap(link) else { continue }
          if result.hasImpulseResponse {
            reports.yield(.exchange(result.exchange, of: link))
          } else {
            reports.yield(result.exchange.ready.map { .measured($0, of: link) } ?? .missed(link))
          }
        }
      }
    }
  }

  extension DeviceCapabilities {
    fileprivate init(_ capabilities: Capabilities, _ generation: UCIDialect.Generation) {
      self.init(
        supportsPreciseDistanceMeasurement: true,
        supportsDirectionMeasurement: capabilities.supportsAngles(generation))
    }
  }
#endif
