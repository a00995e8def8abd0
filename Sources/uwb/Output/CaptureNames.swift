/// Names of captures for output: the shortest ends of their paths that tell them apart (`LOS/10m.csv`, `NLOS/10m.csv`).
enum CaptureNames {
  /// A name for each of `paths`, in their order. What is given twice is numbered.
  static func shortest(_ paths: [String]) -> [String] {
    let parts = paths.map(parts)
    // How many paths have an end in common; an end is known by its parts, the last one first.
    var counts: [[Substring]: Int] = [:]
    for path in Set(parts) {
      for length in 1...max(1, path.count) { counts[Array(path.prefix(length)), default: 0] += 1 }
    }
    var seen: [String: Int] = [:]
    return zip(paths, parts).map { path, parts in
      let length = (1...max(1, parts.count)).first { counts[Array(parts.prefix($0))] == 1 } ?? parts.count
      let name = parts.isEmpty ? path : parts.prefix(length).reversed().joined(separator: "/")
      seen[name, default: 0] += 1
      return seen[name] == 1 ? name : "\(name) (\(seen[name] ?? 0))"
    }
  }

  /// From the last one on; an absolute path ends with an empty one.
  private static func parts(_ path: String) -> [Substring] {
    let names = path.split(separator: "/").filter { $0 != "." }
    return names.reversed() + (path.hasPrefix("/") ? [""] : [])
  }
}
