// swift-tools-version: 6.2
import PackageDescription

let library = ["UWBDSP", "UWBSimulation", "UWBCapture", "NearbySession", "NearbySimulation", "UWBReport"].map {
  Target.Dependency.product(name: $0, package: "UWBDSP")
}
let commandLine: [Target.Dependency] = [
  .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "Yams", package: "Yams"),
]

// A package of its own: it needs libFuzzer's flags, which users of the library must not. See scripts/fuzz.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "UWBDSP", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // The sources of the program `uwb` (a link to them) as a module: no package can import another's program. The program's
    // own start takes another name.
    .target(
      name: "UwbCommands", dependencies: library + commandLine,
      swiftSettings: [
        .unsafeFlags(["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "uwb_main", "-suppress-warnings"])
      ]),
    .executableTarget(name: "fuzz-captures", dependencies: ["UwbCommands"] + library + commandLine),
  ],
  swiftLanguageModes: [.v6]
)
