// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] =
  Context.environment["UWB_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

func engine(_ name: String) -> Target.Dependency { .product(name: name, package: "UWBDSP") }

// Each target lies in a folder of its own here, not in Sources/: the benchmark plugin asks for a folder `Benchmarks`.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v26)],
  dependencies: [
    .package(name: "UWBDSP", path: ".."),
    // Without its allocation interposer: allocations are counted exactly in the tests.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
  ],
  targets: [
    .target(
      name: "PhysicalLimit", path: "PhysicalLimit",
      linkerSettings: [.linkedLibrary("fftw3f")]),
    .target(
      name: "Workloads",
      dependencies: [
        "PhysicalLimit", engine("UWBDSP"), engine("UWBSimulation"), engine("UWBCapture"), engine("NearbySession"),
      ], path: "Workloads", swiftSettings: strict),
    .executableTarget(
      name: "EngineBenchmarks", dependencies: ["Workloads", .product(name: "Benchmark", package: "benchmark")],
      path: "EngineBenchmarks", swiftSettings: strict,
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    .executableTarget(
      name: "instruction-counts", dependencies: ["Workloads"], path: "InstructionCounts", swiftSettings: strict),
    .executableTarget(
      name: "measure",
      dependencies: [
        "Workloads", "PhysicalLimit", engine("UWBDSP"), engine("UWBReport"), engine("UWBSimulation"),
        engine("UWBCapture"),
      ],
      path: "Measure", swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
