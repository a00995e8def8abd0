/// What gave the first paths where the configured delay estimator gave no distance.
public enum FirstPathFallback: String, Sendable, Hashable, CaseIterable, Codable {
  /// Where the magnitude crosses a threshold.
  case leadingEdge = "leading-edge"
  /// The chip's own first path, as it was recorded.
  case chip
}
