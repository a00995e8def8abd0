// swift-tools-version: 6.2
import PackageDescription

// Warnings become errors only where the environment asks for it (as the checks do), so that a newer compiler's
// new warning never breaks somebody else's build.
let strict: [SwiftSetting] =
  Context.environment["UWB_WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : []

// What crosses the house. A target names all modules that it imports, directly or not: a change of a struct's layout then compiles it anew.
let values: [Target.Dependency] = ["UWBPlatform", "UWBTypes", "UWBTracking"]
let engine = values + ["UWBDSP"]
let simulation = engine + ["UWBCalibration", "UWBSimulation"]
let numerics = Target.Dependency.product(name: "Numerics", package: "swift-numerics")
let support: [Target.Dependency] = ["UWBBaselines", "TestSupport", numerics]

// FFTW's licence is the GPL. Without it a transform of our own takes its place.
let withoutFFTW = Context.environment["UWB_WITHOUT_FFTW"] == "1"

// `uwb --version` tells the commit. A plain `swift build` may keep that of an earlier build; scripts/program does not.
let commit =
  Context.gitInformation.map { $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "") } ?? "unknown"

let pageFiles = ["page.css"] + ["data", "chart", "touch", "events", "waterfall", "picture", "page"].map { "\($0).js" }
let dygraphs = Context.environment["UWB_DYGRAPHS"]

let package = Package(
  name: "UWBDSP",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "UWBDSP", targets: ["UWBDSP"]),
    .library(name: "UWBTypes", targets: ["UWBTypes"]),
    .library(name: "UWBTracking", targets: ["UWBTracking"]),
    .library(name: "UWBBaselines", targets: ["UWBBaselines"]),
    .library(name: "UWBCalibration", targets: ["UWBCalibration"]),
    .library(name: "UWBSimulation", targets: ["UWBSimulation"]),
    .library(name: "UWBCapture", targets: ["UWBCapture"]),
    .library(name: "NearbySession", targets: ["NearbySession"]),
    .library(name: "NearbySimulation", targets: ["NearbySimulation"]),
    .library(name: "NearbyPorts", targets: ["NearbyPorts"]),
    .library(name: "NearbyRoom", targets: ["NearbyRoom"]),
    .library(name: "NearbyInteractionNames", targets: ["NearbyInteractionNames"]),
    .library(name: "NearbyUCI", targets: ["NearbyUCI"]),
    .library(name: "NearbyUCIRadio", targets: ["NearbyUCIRadio"]),
    .library(name: "UWBReport", targets: ["UWBReport"]),
    .executable(name: "uwb", targets: ["uwb-program"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-numerics", from: "1.1.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .systemLibrary(name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"]), .brew(["fftw"])]),
    .systemLibrary(name: "CLapacke", pkgConfig: "lapacke", providers: [.apt(["liblapacke-dev"]), .brew(["lapack"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .target(name: "CUWBKernels", exclude: ["README.md"]),
    // dygraphs, and what the pages' own script and style are; UWB_DYGRAPHS names another place of the library than Debian's.
    .target(
      name: "CUWBPage", exclude: pageFiles,
      cSettings: dygraphs.map { [.define("UWB_DYGRAPHS", to: "\"\($0)\"")] } ?? []),
    .target(name: "CUWBCommit", cSettings: [.define("UWB_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "UWBPlatform", swiftSettings: strict),
    .target(name: "UWBTypes", dependencies: ["UWBPlatform"], swiftSettings: strict),
    .target(name: "UWBTracking", dependencies: ["UWBPlatform", "UWBTypes"], swiftSettings: strict),
    .target(
      name: "UWBDSP",
      dependencies: values + [
        "CLapacke", "CUWBKernels", numerics,
      ] + (withoutFFTW ? [] : ["CFFTW"]),
      swiftSettings: strict + (withoutFFTW ? [.define("UWB_WITHOUT_FFTW")] : [])),
    .target(name: "UWBBaselines", dependencies: engine + [numerics], swiftSettings: strict),
    .target(name: "UWBCalibration", dependencies: engine + [numerics], swiftSettings: strict),
    .target(name: "UWBSimulation", dependencies: engine + ["UWBCalibration", numerics], swiftSettings: strict),
    .target(
      name: "UWBCapture", dependencies: ["CZlib", "UWBPlatform", "UWBTypes", "NearbyUCI"], swiftSettings: strict),
    .target(name: "NearbySession", dependencies: values, swiftSettings: strict),
    .target(name: "NearbyPorts", dependencies: ["UWBPlatform", "UWBTypes"], swiftSettings: strict),
    .target(name: "NearbyInteractionNames", dependencies: values + ["NearbySession"], swiftSettings: strict),
    .target(name: "NearbyRoom", dependencies: values + ["NearbySession", "NearbyPorts"], swiftSettings: strict),
    .target(name: "NearbyUCI", dependencies: ["UWBPlatform", "UWBTypes"], swiftSettings: strict),
    .target(
      name: "NearbyUCIRadio", dependencies: values + ["NearbySession", "NearbyPorts", "NearbyUCI"],
      swiftSettings: strict),
    .target(
      name: "NearbySimulation",
      dependencies: simulation + ["NearbySession", "NearbyPorts", "NearbyRoom"],
      swiftSettings: strict),
    .target(name: "UWBReport", dependencies: values + ["CUWBPage", "UWBDSP"], swiftSettings: strict),
    // What a live page shows and to whom, without a socket; the program alone links the HTTP server.
    .target(
      name: "UWBLive", dependencies: ["UWBPlatform", "UWBTypes"],
      resources: [
        .embedInCode("Page/live.html"), .embedInCode("Page/live.css"), .embedInCode("Page/live.js"),
        .embedInCode("Page/drawing.js"),
      ], swiftSettings: strict),
    .target(
      name: "UWBLiveServer",
      dependencies: [
        "UWBPlatform", "UWBTypes", "UWBLive", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ], swiftSettings: strict),
    .target(
      name: "uwb",
      dependencies: simulation + [
        "CZlib", "UWBBaselines", "UWBCapture", "NearbySession", "NearbyPorts", "NearbyRoom", "NearbySimulation",
        "NearbyUCI", "NearbyUCIRadio", "UWBReport", "UWBLive",
        .product(name: "Yams", package: "Yams"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // The start alone: what can be imported can be tested and fuzzed.
    .executableTarget(
      name: "uwb-program", dependencies: ["uwb", "UWBLiveServer", "CUWBCommit"], swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: engine + ["UWBBaselines", "CAllocationCounter", numerics],
      path: "Tests/Support", exclude: ["CAllocationCounter", "CSanitizerProbe"], swiftSettings: strict),
    .target(name: "CSanitizerProbe", path: "Tests/Support/CSanitizerProbe"),
    .target(name: "CAllocationCounter", path: "Tests/Support/CAllocationCounter"),
    .testTarget(
      name: "UWBDSPTests", dependencies: engine + support + ["CUWBKernels", "CAllocationCounter"], swiftSettings: strict
    ),
    .testTarget(name: "UWBBaselinesTests", dependencies: engine + support, swiftSettings: strict),
    .testTarget(name: "UWBCalibrationTests", dependencies: simulation + support, swiftSettings: strict),
    .testTarget(name: "UWBTypesTests", dependencies: engine + support, swiftSettings: strict),
    .testTarget(name: "UWBTrackingTests", dependencies: engine + support, swiftSettings: strict),
    // Of its own, because it is built again for checks: with sanitizers, and for the long run (scripts/property).
    .testTarget(name: "EnginePropertyTests", dependencies: engine + support, swiftSettings: strict),
    .testTarget(name: "UWBSimulationTests", dependencies: simulation + support, swiftSettings: strict),
    .testTarget(
      name: "UWBCaptureTests",
      dependencies: simulation + support + ["CZlib", "NearbyUCI", "UWBCapture", "CSanitizerProbe"],
      swiftSettings: strict),
    .testTarget(
      name: "NearbySessionTests", dependencies: simulation + support + ["NearbySession"], swiftSettings: strict),
    .testTarget(
      name: "NearbySimulationTests",
      dependencies: simulation + support + ["NearbySession", "NearbyPorts", "NearbyRoom", "NearbySimulation"],
      swiftSettings: strict),
    .testTarget(
      name: "NearbyInteractionNamesTests", dependencies: values + ["NearbySession", "NearbyInteractionNames"],
      swiftSettings: strict),
    .testTarget(
      name: "NearbyRoomTests", dependencies: values + ["NearbySession", "NearbyPorts", "NearbyRoom"],
      swiftSettings: strict),
    .testTarget(
      name: "NearbyPortsTests", dependencies: ["UWBPlatform", "UWBTypes", "NearbyPorts"], swiftSettings: strict),
    .testTarget(name: "NearbyUCITests", dependencies: engine + support + ["NearbyUCI"], swiftSettings: strict),
    .testTarget(
      name: "NearbyUCIRadioTests",
      dependencies: values + ["NearbySession", "NearbyPorts", "NearbyUCI", "NearbyUCIRadio"], swiftSettings: strict),
    .testTarget(name: "UWBReportTests", dependencies: engine + support + ["UWBReport"], swiftSettings: strict),
    .testTarget(name: "UWBLiveTests", dependencies: ["UWBPlatform", "UWBTypes", "UWBLive"], swiftSettings: strict),
    .testTarget(
      name: "UWBLiveServerTests",
      dependencies: [
        "UWBPlatform", "UWBTypes", "UWBLive", "UWBLiveServer", .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "uwbTests",
      dependencies: simulation + support + [
        "uwb", "uwb-program", "NearbySession", "NearbyPorts", "NearbyRoom", "NearbySimulation", "UWBCapture",
        "NearbyUCI", "NearbyUCIRadio",
      ], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

// The C interface of engine, captures and replay: scripts/library makes a library of it that needs no Swift.
#if compiler(>=6.3)
  package.products.append(.library(name: "UWBC", type: .dynamic, targets: ["UWBC"]))
  package.targets += [
    .target(name: "CUWBC"),
    .target(
      name: "UWBC", dependencies: simulation + ["CUWBC", "UWBBaselines", "uwb", numerics], swiftSettings: strict),
  ]
#endif

// Checks that build all of it anew, as sanitizers do, take the tests of one target alone (or several, between commas).
if let only = Context.environment["UWB_TESTS"]?.split(separator: ",").map(String.init) {
  package.targets.removeAll { $0.type == .test && !only.contains($0.name) }
}

// libFuzzer's flags are given to a whole build: scripts/fuzz asks for its program.
if Context.environment["UWB_FUZZ"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: simulation + [
        "UWBBaselines", "UWBCapture", "NearbySession", "NearbyPorts", "NearbyRoom", "NearbySimulation", "NearbyUCI",
        "uwb",
        numerics,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Fuzz/Sources", swiftSettings: strict))
  #if compiler(>=6.3)
    package.targets.last?.dependencies += ["CUWBC", "UWBC"]
  #endif
}
