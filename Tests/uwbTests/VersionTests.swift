import Foundation
import Testing

@Suite("uwb --version")
struct VersionTests {
  @Test("tells version, commit, FFTW, LAPACK and vector units, one a line")
  func items() throws {
    let version = try UwbProcess.run("--version")
    #expect(version.status == 0)
    #expect(version.errors.isEmpty)
    let patterns = [
      #"^uwb \d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$"#, #"^commit: ([0-9a-f]{12}\+?|unknown)$"#,
      #"^FFTW: (3\.\d+\S*|none \(built without FFTW\))$"#, #"^LAPACK: 3\.\d+\.\d+$"#,
      #"^vector units: (AVX2, FMA|none \(portable code\))$"#,
    ]
    try #require(version.lines.count == patterns.count)
    for (line, pattern) in zip(version.lines, patterns) {
      #expect(line.range(of: pattern, options: .regularExpression) != nil, "\(line)")
    }
  }
}
