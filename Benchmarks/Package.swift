// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] =
  Context.environment["UWB_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

func engine(_ name: String) -> Target.Dependency { .product(name: name, package: "UWBDSP") }

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "UWBDSP", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    // Without its allocation interposer: allocations are counted exactly in the tests.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .target(name: "PhysicalLimit", linkerSettings: [.linkedLibrary("fftw3f")]),
    .target(
      name: "Workloads",
      dependencies: [
        "PhysicalLimit", engine("UWBDSP"), engine("UWBBaselines"), engine("UWBSimulation"), engine("UWBCapture"),
        engine("NearbySession"),
      ], swiftSettings: strict),
    .executableTarget(name: "instruction-counts", dependencies: ["Workloads"], swiftSettings: strict),
    .executableTarget(
      name: "measure",
      dependencies: [
        "Workloads", "PhysicalLimit", engine("UWBDSP"), engine("UWBBaselines"), engine("UWBReport"),
        engine("UWBSimulation"), engine("UWBCapture"),
      ], swiftSettings: strict),
    .executableTarget(
      name: "bare-start", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: strict),
    // The benchmark plugin takes every program that lies right in a folder `Benchmarks`, so the others are in Sources.
    .executableTarget(
      name: "EngineBenchmarks", dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
      path: "EngineBenchmarks", swiftSettings: strict,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
