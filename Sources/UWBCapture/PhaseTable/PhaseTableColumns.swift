import Foundation

/// Which columns of a phase-difference table hold what: by header names that are usual, or as the user says.
public struct PhaseTableColumns: Sendable, Hashable {
  /// What a column may hold.
  public enum Quantity: String, Sendable, Hashable, CaseIterable {
    /// The first phase difference; `phase2` … `phase7` follow it.
    case phase1, phase2, phase3, phase4, phase5, phase6, phase7
    /// Where the peer really was.
    case azimuth, elevation
    case trueDistance = "true-distance"
    /// 1 or `NLOS` where the direct path was blocked.
    case nlos
    /// What the chip made of it. Angles without a word for truth in their name are the chip's.
    case distance
    case chipAzimuth = "chip-azimuth"
    case chipElevation = "chip-elevation"
    /// Seconds since the start.
    case time
    /// The peer's address, hexadecimal.
    case peer

    static let phases: [Quantity] = [.phase1, .phase2, .phase3, .phase4, .phase5, .phase6, .phase7]

    /// Headers that are usual, in lower case, with nothing but letters and digits, and without the unit.
    var usualNames: [String] {
      switch self {
      case .phase1, .phase2, .phase3, .phase4, .phase5, .phase6, .phase7:
        Self.phaseNames(Self.phases.firstIndex(of: self).map { $0 + 1 } ?? 1)
      case .azimuth:
        [
          "realazimuth", "trueazimuth", "azimuthtrue", "azimuthreal", "actualazimuth", "refazimuth", "gtazimuth",
        ]
      case .elevation:
        [
          "realelevation", "trueelevation", "elevationtrue", "elevationreal", "actualelevation", "refelevation",
          "gtelevation",
        ]
      case .trueDistance:
        ["realdistance", "truedistance", "distancetrue", "distancereal", "actualdistance", "gtdistance"]
      case .nlos: ["nlos", "isnlos"]
      case .distance: ["distance", "range", "measureddistance", "dist"]
      case .chipAzimuth: ["aoa1", "aoaazimuth", "azimuthaoa", "aoaaz", "chipazimuth", "aoa", "azimuth"]
      case .chipElevation: ["aoa2", "aoaelevation", "elevationaoa", "aoael", "chipelevation", "elevation"]
      case .time: ["time", "t", "timestamp", "datetime", "utc", "hosttime", "systemtime"]
      case .peer: ["peer", "address", "mac", "macaddress"]
      }
    }

    private static func phaseNames(_ number: Int) -> [String] {
      let names = ["pdoa\(number)", "phasedifference\(number)", "phasediff\(number)", "pd\(number)", "phase\(number)"]
      switch number {
      case 1: return names + ["pdoaazimuth", "pdoaaz", "pdoa", "phasedifference"]
      case 2: return names + ["pdoaelevation", "pdoael"]
      default: return names
      }
    }
  }

  /// Header names that the user gave, whatever their case.
  public var names: [Quantity: String]

  public init(_ names: [Quantity: String] = [:]) {
    self.names = names
  }

  /// Reads `azimuth=Real Azimuth,phase1=PDoA1,…`.
  ///
  /// - Throws: `CaptureError` for what is not of that form.
  public init(_ text: String) throws {
    names = [:]
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      guard sides.count == 2, let quantity = Quantity(rawValue: sides[0]) else {
        throw CaptureError(
          file: "--columns", place: String(part), problem: "this names no column",
          remedy: "Give NAME=HEADER pairs between commas; names are: "
            + "\(Quantity.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      names[quantity] = sides[1]
    }
  }

  /// One column that was found: where, and what its numbers are multiplied by to be SI.
  struct Column: Hashable {
    var index: Int
    var unit: Double
  }

  /// Finds the columns in `header`.
  ///
  /// - Throws: the name that the user gave and that the header lacks.
  func resolve(_ header: [String]) throws(MissingColumn) -> [Quantity: Column] {
    var columns: [Quantity: Column] = [:]
    let parsed = header.map(Self.parse)
    for quantity in Quantity.allCases {
      if let name = names[quantity] {
        guard let index = header.firstIndex(where: { $0.caseInsensitiveCompare(name) == .orderedSame }) else {
          throw MissingColumn(name: name)
        }
        columns[quantity] = Column(index: index, unit: parsed[index].unit ?? Self.usualUnit(quantity))
        continue
      }
      for name in quantity.usualNames where columns[quantity] == nil {
        if let index = parsed.firstIndex(where: { $0.name == name }) {
          columns[quantity] = Column(index: index, unit: parsed[index].unit ?? Self.usualUnit(quantity))
        }
      }
    }
    return columns
  }

  struct MissingColumn: Error, Hashable {
    var name: String
  }

  /// Chips report degrees and centimetres.
  private static func usualUnit(_ quantity: Quantity) -> Double {
    switch quantity {
    case .distance, .trueDistance: 0.01
    case .nlos, .peer, .time: 1
    default: .pi / 180
    }
  }

  /// A header's name in lower case without anything but letters and digits, and the unit at its end, if any.
  static func parse(_ header: String) -> (name: String, unit: Double?) {
    let units: [String: Double] = [
      "deg": .pi / 180, "degree": .pi / 180, "degrees": .pi / 180, "rad": 1, "m": 1, "cm": 0.01, "mm": 0.001, "s": 1,
      "ms": 0.001,
    ]
    let words = header.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
    if words.count > 1, let last = words.last, let unit = units[last] {
      return (words.dropLast().joined(), unit)
    }
    return (words.joined(), nil)
  }
}
