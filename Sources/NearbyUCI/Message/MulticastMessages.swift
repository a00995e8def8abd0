/// Adds controlees to a session, or removes them.
public struct UpdateMulticastList: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x07)

  public struct Action: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    public static let add = Action(rawValue: 0)
    public static let remove = Action(rawValue: 1)
    public static let addWithShortKey = Action(rawValue: 2)
    public static let addWithLongKey = Action(rawValue: 3)

    /// Bytes of each entry's key.
    var keyLength: Int {
      switch self {
      case .addWithShortKey: 16
      case .addWithLongKey: 32
      default: 0
      }
    }
  }

  public struct Entry: Sendable, Hashable {
    public var address: UInt16
    public var subSessionID: UInt32
    /// 16 or 32 bytes where the action says so.
    public var key: [UInt8]

    public init(address: UInt16 = 0, subSessionID: UInt32 = 0, key: [UInt8] = []) {
      self.address = address
      self.subSessionID = subSessionID
      self.key = key
    }
  }

  public var token: UInt32 = 0
  public var action = Action.add
  public var entries: [Entry] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    try coder.code(&action, "action")
    let count = try coder.codeCount(entries.count, UInt8.self, "controlees")
    if coder.isReading { entries = [] }
    for index in 0..<count {
      var entry = coder.isReading ? Entry() : entries[index]
      try coder.code(&entry.address, "controlee's address")
      try coder.code(&entry.subSessionID, "sub-session id")
      try coder.code(&entry.key, count: action.keyLength, "sub-session key")
      if coder.isReading { entries.append(entry) }
    }
  }
}

/// What became of one controlee.
public struct MulticastEntryStatus: UCILayout {
  public var address: UInt16 = 0
  /// In notifications of 1.x alone.
  public var subSessionID: UInt32 = 0
  /// 00 ok, 01 list full, 02 key not fetched, 03 – 08 not found, not applicable, or present.
  public var status: UInt8 = 0

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&address, "controlee's address")
    try coder.code(&status, "controlee's status")
  }
}

/// Answers `UpdateMulticastList`; 1.x gives the status alone.
public struct MulticastListResult: UCIMessage {
  public static let kind = UpdateMulticastList.kind.response
  public var status = UCIStatus.ok
  public var entries: [MulticastEntryStatus]?

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&status, "status")
    if coder.isReading, coder.available == 0 { return }
    guard coder.isReading || entries != nil else { return }
    var list = entries ?? []
    try coder.code(&list, "controlees")
    entries = list
  }
}

/// What became of the controlees on the air.
public struct MulticastListStatus: UCIMessage {
  public static let kind = UCIMessageKind(.notification, group: 1, opcode: 0x07)
  public var token: UInt32 = 0
  /// How many more the list takes; 1.x alone.
  public var remaining: UInt8 = 0
  public var entries: [MulticastEntryStatus] = []

  public init() {}
  public mutating func code(_ coder: inout UCICoder) throws(UCIError) {
    try coder.code(&token, "session token")
    guard coder.dialect.generation == .first else {
      try coder.code(&entries, "controlees")
      return
    }
    try coder.code(&remaining, "remaining places")
    let count = try coder.codeCount(entries.count, UInt8.self, "controlees")
    if coder.isReading { entries = [] }
    for index in 0..<count {
      var entry = coder.isReading ? MulticastEntryStatus() : entries[index]
      try coder.code(&entry.address, "controlee's address")
      try coder.code(&entry.subSessionID, "sub-session id")
      try coder.code(&entry.status, "controlee's status")
      if coder.isReading { entries.append(entry) }
    }
  }
}
