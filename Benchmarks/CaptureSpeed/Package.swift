// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CaptureSpeed",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "UWBDSP", path: "../..")],
  targets: [
    .executableTarget(name: "capture-speed", dependencies: [.product(name: "UWBCapture", package: "UWBDSP")])
  ],
  swiftLanguageModes: [.v6]
)
