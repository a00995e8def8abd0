import Synchronization
import UWBDSP

/// What `uwb --version` prints.
enum Version {
  /// The version of the whole project. `scripts/versions` checks that all files agree.
  static let number = "1.0.0-rc.1"

  /// The commit that the program was built from. The start of the program sets it, so that a new commit compiles that start alone.
  static let commit = Mutex("unknown")

  /// One item a line: version, commit, FFTW, LAPACK, vector units.
  static var text: String {
    let units = EngineComponents.vectorUnits
    return """
      uwb \(number)
      commit: \(commit.withLock { $0 })
      FFTW: \(EngineComponents.fftwVersion ?? "none (built without FFTW)")
      LAPACK: \(EngineComponents.lapackVersion)
      vector units: \(units.isEmpty ? "none (portable code)" : units.joined(separator: ", "))
      """
  }
}
