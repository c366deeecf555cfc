// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the engine's build knows nothing of the library that it is compared with.
let package = Package(
  name: "seedbed-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "seedbed", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .target(name: "CYardstick", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "versus",
      dependencies: [
        "CYardstick", .product(name: "Seedbed", package: "seedbed"), .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Versus"),
  ],
  swiftLanguageModes: [.v6]
)
