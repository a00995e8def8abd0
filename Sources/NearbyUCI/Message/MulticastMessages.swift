/// Adds controlees to a session, or removes them.
public struct UpdateMulticastList: UCIMessage {
  public static let kind = UCIMessageKind(.command, group: 1, opcode: 0x07)

  /// What becomes of the controlees of a list.
  public struct Action: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Add (0).
    public static let add = Action(rawValue: 0)
    /// Remove (1).
    public static let remove = Action(rawValue: 1)
    /// Add with short key (2).
    public static let addWithShortKey = Action(rawValue: 2)
    /// Add with long key (3).
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

  /// A controlee.
  public struct Entry: Sendable, Hashable {
    /// MAC address of the device.
    public var address: UInt16
    /// Identifier of the sub-session.
    public var subSessionID: UInt32
    /// 16 or 32 bytes where the action says so.
    public var key: [UInt8]

    /// Creates one with the given values.
    public init(address: UInt16 = 0, subSessionID: UInt32 = 0, key: [UInt8] = []) {
      self.address = address
      self.subSessionID = subSessionID
      self.key = key
    }
  }

  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// What becomes of the controlees.
  public var action = Action.add
  /// Entries of the list.
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
  /// MAC address of the device.
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
  /// Whether it succeeded, and why not.
  public var status = UCIStatus.ok
  /// Entries of the list.
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
  /// Handle of the session; before UCI 2.0 the identifier of the session.
  public var token: UInt32 = 0
  /// How many more the list takes; 1.x alone.
  public var remaining: UInt8 = 0
  /// Entries of the list.
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
