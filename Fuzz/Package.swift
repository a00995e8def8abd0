// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it needs libFuzzer's flags, which users of the library must not. See scripts/fuzz.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "UWBDSP", path: "..")],
  targets: [
    .executableTarget(
      name: "fuzz-captures",
      dependencies: [
        .product(name: "UWBDSP", package: "UWBDSP"), .product(name: "UWBCapture", package: "UWBDSP"),
        .product(name: "NearbySession", package: "UWBDSP"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
