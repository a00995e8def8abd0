import ArgumentParser
import UWBBaselines
import UWBDSP

extension DelayMethod: ExpressibleByArgument {
  /// The engine's or a baseline of this name.
  public init?(argument: String) {
    guard let method = Self.named(argument) else { return nil }
    self = method
  }

  /// All names.
  public static var allValueStrings: [String] { all.map(\.name) }

  /// Those for simulated CIRs, which carry no chip's first path.
  static let forSimulatedCIRs = all.filter { $0 != .chip }

  /// The one of this name among `known`, for a list on the command line.
  ///
  /// - Parameter words: what else the list may hold, for the error's text.
  static func named(_ name: Substring, in known: [DelayMethod], beside words: [String] = []) throws -> DelayMethod {
    guard let method = known.first(where: { $0.name == name }) else {
      throw Usage.unknown("estimator", String(name), words + known.map(\.name))
    }
    return method
  }
}
