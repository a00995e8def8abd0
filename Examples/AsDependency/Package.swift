// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Distances",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(url: "https://example.org/uwbdsp.git", exact: "1.0.0-rc.1")
  ],
  targets: [
    .executableTarget(
      name: "Distances",
      dependencies: [
        .product(name: "UWBDSP", package: "uwbdsp"), .product(name: "UWBCapture", package: "uwbdsp"),
      ])
  ]
)
