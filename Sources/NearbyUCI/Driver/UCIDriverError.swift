/// Why a chip, or one of its sessions, does not do what it was told.
public enum UCIDriverError: Error, Sendable, Hashable {
  /// No answer within the time allowed, after so many commands.
  case noAnswer(UCIMessageKind)
  /// The chip asked for the command again too often.
  case tooManyRetries(UCIMessageKind)
  /// The chip refused the command.
  case refused(UCIMessageKind, UCIStatus)
  /// Parameters of the session that the chip does not take, each with its reason.
  case parametersRefused([UCIParameterStatus])
  /// An answer that can't be read.
  case malformed(UCIMessageKind, UCIError)
  /// The session's configuration was taken, and the session did not become ready: parameters are missing or refused.
  case notConfigured
  /// The chip says that the session is active, and reports no rounds.
  case silent
  /// The chip has ended the session.
  case ended(UCISessionReason)
  /// The chip reported an error, or was reset: all its sessions are lost.
  case chipLost
}

extension UCIDriverError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noAnswer(let kind): "no answer to \(kind)"
    case .tooManyRetries(let kind): "the chip asked too often for \(kind) again"
    case .refused(let kind, let status): "\(kind) was refused with status \(String(status.rawValue, radix: 16))"
    case .parametersRefused(let list):
      "parameters were refused: "
        + list.map { "\(String($0.id.rawValue, radix: 16)) with status \(String($0.status.rawValue, radix: 16))" }
        .joined(separator: ", ")
    case .malformed(let kind, let error): "the answer to \(kind) can't be read: \(error)"
    case .notConfigured: "the session did not become ready: parameters are missing or were refused"
    case .silent: "the chip says that the session is active, and reports no rounds"
    case .ended(let reason): "the chip ended the session for reason \(String(reason.rawValue, radix: 16))"
    case .chipLost: "the chip was lost"
    }
  }
}
