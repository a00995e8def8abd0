/// A delay estimator with the name that it is chosen by, in the engine, in evaluations and on the command line.
///
/// One of your own takes a line, and is then asked like any other:
///
///     configuration.delay = DelayMethod("first-rise", "where magnitudes begin to rise") { FirstRise($0) }
///
/// Two methods are equal where their names are.
public struct DelayMethod: Sendable, Hashable, CustomStringConvertible {
  private final class Content: Sendable {
    let name: String
    let summary: String
    let make: @Sendable (_ receiver: ReceiverModel, _ tapCount: Int) -> DelayStage

    init(
      _ name: String, _ summary: String,
      _ make: @escaping @Sendable (_ receiver: ReceiverModel, _ tapCount: Int) -> DelayStage
    ) {
      self.name = name
      self.summary = summary
      self.make = make
    }
  }

  private let content: Content

  /// - Parameters:
  ///   - name: as the command line spells it, such as `edge-fit`.
  ///   - summary: what the estimator does, with its source, in a line.
  ///   - estimator: makes it for a receiver.
  public init(
    _ name: String, _ summary: String = "",
    _ estimator: @escaping @Sendable (_ receiver: ReceiverModel) -> some DelayEstimator
  ) {
    content = Content(name, summary) { DelayStage(estimator($0), tapCount: $1) }
  }

  /// As the command line spells it.
  public var name: String { content.name }
  /// What the estimator does, with its source, in a line.
  public var summary: String { content.summary }
  /// The name.
  public var description: String { name }

  /// The estimator for a receiver, with its workspace.
  func stage(_ receiver: ReceiverModel, tapCount: Int) -> DelayStage { content.make(receiver, tapCount) }

  /// Whether both have the same name.
  public static func == (one: DelayMethod, other: DelayMethod) -> Bool {
    one.content === other.content || one.name == other.name
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// The chip's own first path, as it was recorded. Amplitudes and their deviations are the profile's estimator's, or those of `edgeFit`.
  public static let chip = DelayMethod("chip", "the chip's own first path, as it was recorded") { EdgeFit($0) }
  /// `EdgeFit`
  public static let edgeFit = DelayMethod(
    "edge-fit", "least-squares fit of one pulse to the leading edge (variable projection: Golub & Pereyra 1973)"
  ) { EdgeFit($0) }
  /// `PulseFit`
  public static let pulseFit = DelayMethod(
    "pulse-fit",
    "nonlinear least squares over all near paths, their number by a test (Golub & Pereyra 1973; Kaufman 1975)"
  ) { PulseFit($0) }
  /// `RiceFit`
  public static let riceFit = DelayMethod(
    "rice-fit", "one path before scattering of any gap and power (posterior median)"
  ) {
    RiceFit($0)
  }
  /// `AdaptiveFit`
  public static let adaptive = DelayMethod(
    "adaptive", "pulse-fit and rice-fit, averaged by their evidence (MacKay 1992)"
  ) {
    AdaptiveFit($0)
  }
  /// `LeadingEdge`
  public static let leadingEdge = DelayMethod(
    "leading-edge", "threshold crossing of the interpolated magnitude, carried to the pulse's peak"
  ) { LeadingEdge($0) }

  /// What is asked in turn where this one gives no distance.
  var fallbacks: [FirstPathFallback] {
    switch self {
    case .chip: []
    case .leadingEdge: [.chip]
    default: [.leadingEdge, .chip]
    }
  }
}

extension FirstPathFallback {
  /// The estimator that stands in.
  public var method: DelayMethod {
    switch self {
    case .leadingEdge: .leadingEdge
    case .chip: .chip
    }
  }
}
