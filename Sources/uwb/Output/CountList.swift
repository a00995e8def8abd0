extension [String: Int] {
  /// “name count” by ascending name; `empty` where there are none.
  func list(empty: String = "none") -> String {
    isEmpty ? empty : sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
