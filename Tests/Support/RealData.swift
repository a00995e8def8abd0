import Foundation
import Testing

/// Captures that nobody here wrote, in the folder that `UWB_DATA` names.
public enum RealData {
  public static let folder = ProcessInfo.processInfo.environment["UWB_DATA"].map { URL(fileURLWithPath: $0) }

  /// - Throws: an issue of the test where `UWB_DATA` is not set.
  public static func path(_ name: String) throws -> String {
    try #require(folder).appendingPathComponent(name).path
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where `UWB_DATA` is not set, or has no file or folder of that name: two reasons, of which `scripts/test` excuses the first.
  public static func needsRealData(_ name: String) -> Self {
    guard let path = try? RealData.path(name) else { return .disabled("UWB_DATA is not set") }
    return .enabled(if: FileManager.default.fileExists(atPath: path), "UWB_DATA has no \(name)")
  }
}
