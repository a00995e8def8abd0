import UWBTypes

/// The shapes of a capture's CIRs so far. The engine has tables for each tap spacing: a short file that names a new one with each
/// CIR would ask for much memory and time.
struct CaptureShapes {
  private var spacings: [Double] = []

  /// Whether a CIR of that shape may be read.
  mutating func admit(antennaCount: Int, tapCount: Int, tapSpacing: Double) -> Bool {
    guard EngineLimits.antennaCount.contains(antennaCount),
      (1...CaptureLimits.sampleCount.upperBound / antennaCount).contains(tapCount),
      EngineLimits.tapSpacing.contains(tapSpacing)
    else { return false }
    if spacings.contains(tapSpacing) { return true }
    guard spacings.count < EngineLimits.tapSpacingCount else { return false }
    spacings.append(tapSpacing)
    return true
  }
}
