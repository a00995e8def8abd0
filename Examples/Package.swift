// swift-tools-version: 6.2
import PackageDescription

let session: [Target.Dependency] = [
  .product(name: "NearbySession", package: "UWBDSP"), .product(name: "NearbySimulation", package: "UWBDSP"),
]

let names: Target.Dependency = .product(name: "NearbyInteractionNames", package: "UWBDSP")

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "UWBDSP", path: "..")],
  targets: [
    .executableTarget(
      name: "DistanceFromLog",
      dependencies: [.product(name: "UWBDSP", package: "UWBDSP"), .product(name: "UWBCapture", package: "UWBDSP")]),
    .executableTarget(
      name: "OwnEstimator",
      dependencies: [.product(name: "UWBDSP", package: "UWBDSP"), .product(name: "UWBSimulation", package: "UWBDSP")]),
    .executableTarget(name: "TwoSessions", dependencies: session),
    .executableTarget(name: "DelegateStyle", dependencies: session),
    .executableTarget(name: "AsyncStyle", dependencies: session),
    .executableTarget(name: "Accessory", dependencies: session),
    .executableTarget(name: "ViewModel", dependencies: session),
    .target(name: "Finder", dependencies: [names]),
    .executableTarget(name: "FrameworkNames", dependencies: session + ["Finder", names]),
    .executableTarget(
      name: "TwoProcesses",
      dependencies: session + [
        "Finder", names, .product(name: "NearbyPorts", package: "UWBDSP"),
        .product(name: "NearbyRoom", package: "UWBDSP"),
      ]),
    // What pages show (scripts/shown holds them to it): compiled, never run.
    .target(
      name: "Snippets",
      dependencies: session + [
        names, .product(name: "NearbyPorts", package: "UWBDSP"), .product(name: "NearbyRoom", package: "UWBDSP"),
        .product(name: "NearbyUCI", package: "UWBDSP"), .product(name: "NearbyUCIRadio", package: "UWBDSP"),
        .product(name: "UWBTracking", package: "UWBDSP"), .product(name: "UWBTypes", package: "UWBDSP"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
