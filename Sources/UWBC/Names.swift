// Functions bear their names in C.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CUWBC
import UWBBaselines
import UWBDSP
import UWBPlatform
import uwb

/// The names of codes, in their order.
enum Names {
  static let pathStatuses = DelayStatus.allCases.map(\.rawValue)
  static let events = UpdateRow.Event.allCases.map(\.rawValue)
  static let directionStatuses = DirectionStatus.allCases.map(\.rawValue)
  static let estimators = DelayMethod.all.map(\.name)

  private static let all = [pathStatuses, events, UpdateRow.statuses, directionStatuses, estimators].map {
    $0.map(KeptText.init)
  }

  static func text(_ kind: Int32, _ code: Int32) -> UnsafePointer<CChar>? {
    guard all.indices.contains(Int(kind)), all[Int(kind)].indices.contains(Int(code)) else { return nil }
    return UnsafePointer(all[Int(kind)][Int(code)].pointer)
  }

  /// −1 where there is none.
  static func code(_ name: String?, in names: [String]) -> Int32 {
    name.flatMap { names.firstIndex(of: $0) }.map(Int32.init) ?? -1
  }
}

@c @implementation
public func uwb_abi() -> Int32 { UWB_ABI }

@c @implementation
public func uwb_free(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

@c @implementation
public func uwb_name(_ kind: Int32, _ code: Int32) -> UnsafePointer<CChar>? { Names.text(kind, code) }
