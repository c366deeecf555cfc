// swift-tools-version: 6.3
import PackageDescription

/// `SEEDBED_STRICT=1` turns warnings into errors; `scripts/check` and CI set it.
let isStrict = Context.environment["SEEDBED_STRICT"] == "1"

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
  ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

// On macOS both libraries come with the system, whatever Homebrew has of them.
#if os(Linux)
  let sqlite: String? = "sqlite3"
  let zlib: String? = "zlib"
#else
  let sqlite: String? = nil
  let zlib: String? = nil
#endif

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "seedbed",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Seedbed", targets: ["Seedbed"]),
    .library(name: "SeedbedTesting", targets: ["SeedbedTesting"]),
    .library(name: "ObjectModel", targets: ["ObjectModel"]),
    .library(name: "PropertyLists", targets: ["PropertyLists"]),
    .library(name: "ModelFiles", targets: ["ModelFiles"]),
    .library(name: "Diagrams", targets: ["Diagrams"]),
    .library(name: "Predicates", targets: ["Predicates"]),
    .library(name: "StoreInterface", targets: ["StoreInterface"]),
    .library(name: "MemoryStore", targets: ["MemoryStore"]),
    .library(name: "CoreDataLayout", targets: ["CoreDataLayout"]),
    .library(name: "SQLMigration", targets: ["SQLMigration"]),
    .library(name: "FileStores", targets: ["FileStores"]),
    .library(name: "ObjectGraph", targets: ["ObjectGraph"]),
    .library(name: "Migration", targets: ["Migration"]),
    .library(name: "SeedFormats", targets: ["SeedFormats"]),
    .library(
      name: "ImportEngine", targets: ["Pipelines", "Exports", "Dumps", "ChangeFiles", "Reports", "ImportEngine"]),
    .executable(name: "seedbed", targets: ["SeedbedCommand"]),
    .executable(name: "seedbed-bench", targets: ["Benchmarks"]),
    .plugin(name: "GenerateClasses", targets: ["GenerateClasses"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: sqlite, providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: zlib, providers: [.apt(["zlib1g-dev"])]),
    .target(name: "Platform", dependencies: ["CZlib"]),
    .target(name: "Diagnostics", dependencies: [logging, metrics]),
    .target(name: "PropertyLists"),
    .target(name: "ObjectModel", dependencies: [crypto]),
    .target(name: "ModelFiles", dependencies: ["Platform", "PropertyLists", "ObjectModel", "Predicates"]),
    .target(name: "Diagrams", dependencies: ["ObjectModel"]),
    .target(name: "Predicates", dependencies: ["ObjectModel"]),
    .target(name: "StoreInterface", dependencies: ["ObjectModel", "Predicates"]),
    .target(name: "MemoryStore", dependencies: ["PropertyLists", "ObjectModel", "Predicates", "StoreInterface"]),
    .target(name: "SQLite", dependencies: ["CSQLite", "Platform"]),
    .target(name: "SQLitePages", dependencies: ["Platform"]),
    .target(
      name: "CoreDataLayout",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "ObjectModel", "ModelFiles", "Predicates", "StoreInterface",
        "MemoryStore", "SQLite", "SQLitePages",
      ]),
    .target(
      name: "SQLMigration",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "ObjectModel", "StoreInterface", "SQLite", "SQLitePages",
        "CoreDataLayout",
      ]),
    .target(
      name: "FileStores",
      dependencies: [
        "Platform", "PropertyLists", "ObjectModel", "Predicates", "StoreInterface", "MemoryStore", "SeedFormats",
      ]),
    .target(
      name: "ObjectGraph",
      dependencies: ["Platform", "Diagnostics", "PropertyLists", "ObjectModel", "Predicates", "StoreInterface"]),
    .target(
      name: "Migration",
      dependencies: [
        "Platform", "Diagnostics", "ObjectModel", "ModelFiles", "Predicates", "StoreInterface", "CoreDataLayout",
        "SQLMigration", "ObjectGraph",
      ]),
    .target(
      name: "Seedbed",
      dependencies: [
        "Diagnostics", "PropertyLists", "ObjectModel", "ModelFiles", "Diagrams", "Predicates", "StoreInterface",
        "MemoryStore", "CoreDataLayout", "SQLMigration",
        "FileStores", "ObjectGraph", "Migration",
      ]),
    .target(name: "SeedbedTesting", dependencies: ["Platform", "Seedbed", "SeedFormats", "Pipelines"]),
    .target(name: "SeedFormats", dependencies: ["CZlib", "Platform", "PropertyLists"]),
    .target(
      name: "Pipelines",
      dependencies: [
        "Platform", "ObjectModel", "ModelFiles", "Predicates", "StoreInterface", "SeedFormats", yams, crypto,
      ]),
    .target(
      name: "ResultFiles",
      dependencies: ["Platform", "CoreDataLayout", "SeedFormats", "Pipelines"]),
    .target(
      name: "StoreModels",
      dependencies: [
        "Platform", "Diagnostics", "ObjectModel", "ModelFiles", "StoreInterface", "CoreDataLayout", "SQLMigration",
        "Migration", "Pipelines",
      ]),
    .target(
      name: "Exports",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "ObjectModel", "Predicates", "StoreInterface", "CoreDataLayout",
        "SeedFormats", "Pipelines", "ResultFiles",
      ]),
    .target(
      name: "Dumps",
      dependencies: [
        "Platform", "ObjectModel", "ModelFiles", "StoreInterface", "CoreDataLayout", "SeedFormats", "Pipelines",
        "ResultFiles", "StoreModels", "Exports", yams,
      ]),
    .target(
      name: "ChangeFiles",
      dependencies: [
        "Platform", "ObjectModel", "Predicates", "StoreInterface", "CoreDataLayout", "Pipelines", "Exports",
      ]),
    .target(
      name: "StoreDifferences",
      dependencies: [
        "Platform", "ObjectModel", "Predicates", "StoreInterface", "SQLite", "SQLitePages", "CoreDataLayout",
        "Pipelines",
      ]),
    .target(name: "Reports", dependencies: ["Diagnostics", "Pipelines"]),
    .target(
      name: "ImportEngine",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "ObjectModel", "ModelFiles", "Predicates", "StoreInterface",
        "CoreDataLayout", "SQLMigration", "ObjectGraph", "Migration", "SeedFormats", "Pipelines", "ResultFiles",
        "StoreModels", "Exports", "Dumps", "Reports", logging,
      ]),
    .target(name: "Inference", dependencies: ["ObjectModel", "SeedFormats", "Pipelines", "ImportEngine"]),
    .executableTarget(
      name: "SeedbedCommand",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "ObjectModel", "ModelFiles", "Diagrams", "StoreInterface", "SQLite",
        "CoreDataLayout", "SQLMigration",
        "ObjectGraph", "Migration", "SeedFormats", "Pipelines", "ResultFiles", "StoreModels", "Exports", "Dumps",
        "ChangeFiles", "StoreDifferences", "Reports", "ImportEngine", "Inference", logging, argumentParser,
      ]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Platform", "ObjectModel", "Predicates", "StoreInterface", "CSQLite", "CoreDataLayout", "ObjectGraph",
        "ModelFiles",
      ]),
    .executableTarget(
      name: "surf-journal-example",
      dependencies: ["Seedbed", "ImportEngine"],
      path: "examples/SurfJournal"),
    .executableTarget(
      name: "NotesMigrationExample",
      dependencies: ["Seedbed"],
      path: "examples/NotesMigration",
      exclude: ["Stores"]),
    .plugin(
      name: "GenerateClasses",
      capability: .command(
        intent: .custom(
          verb: "generate-classes", description: "Writes Swift classes for the models in the package's targets."),
        permissions: [.writeToPackageDirectory(reason: "Classes stand beside the models that they are made from.")])),
    .executableTarget(name: "HistoryPeer", dependencies: ["Seedbed"], path: "Tests/HistoryPeer"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "TestStores", dependencies: ["ObjectModel", "StoreInterface", "MemoryStore"], path: "Tests/TestStores"),
    .target(name: "TestQueries", dependencies: ["SQLite"], path: "Tests/TestQueries"),
    .target(
      name: "TestMigrations", dependencies: ["ObjectModel", "SQLite", "TestSupport"], path: "Tests/TestMigrations"),
    .target(
      name: "TestRows",
      dependencies: [
        "CoreDataLayout", "MemoryStore", "ObjectModel", "StoreInterface", "TestMigrations", "TestSupport",
      ], path: "Tests/TestRows"),
    .testTarget(name: "PropertyListsTests", dependencies: ["PropertyLists", "TestSupport"]),
    .testTarget(name: "ObjectModelTests", dependencies: ["ObjectModel", "TestSupport", crypto]),
    .testTarget(
      name: "ModelFilesTests",
      dependencies: [
        "Platform", "PropertyLists", "ModelFiles", "Diagrams", "ObjectModel", "Predicates", "SQLite", "Migration",
        "TestSupport",
      ],
      exclude: ["Models"]
    ),
    .testTarget(
      name: "StoreInterfaceTests",
      dependencies: [
        "StoreInterface", "Predicates", "MemoryStore", "ObjectModel", "ModelFiles", "TestSupport", "TestStores",
      ]),
    .testTarget(
      name: "PredicatesTests",
      dependencies: ["Predicates", "StoreInterface", "ObjectModel", "TestSupport", "TestStores"]),
    .testTarget(
      name: "MemoryStoreTests",
      dependencies: ["MemoryStore", "StoreInterface", "ObjectModel", "TestStores"]),
    .testTarget(name: "DiagnosticsTests", dependencies: ["Diagnostics", metrics]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "TestSupport"]),
    .testTarget(name: "SQLitePagesTests", dependencies: ["SQLitePages", "SQLite", "TestSupport"]),
    .testTarget(
      name: "CoreDataLayoutTests",
      dependencies: [
        "Platform", "Diagnostics", "PropertyLists", "CoreDataLayout", "SQLite", "SQLitePages", "Predicates",
        "StoreInterface", "MemoryStore", "ObjectModel", "ModelFiles", "TestQueries", "TestStores", "TestSupport",
        "TestMigrations", "TestRows",
      ]),
    .testTarget(
      name: "SQLMigrationTests",
      dependencies: [
        "Platform", "PropertyLists", "SQLMigration", "CoreDataLayout", "SQLite", "StoreInterface", "ObjectModel",
        "ModelFiles", "TestQueries", "TestStores", "TestSupport", "TestMigrations", "TestRows",
      ]),
    .testTarget(
      name: "ObjectGraphTests",
      dependencies: [
        "ObjectGraph", "CoreDataLayout", "Diagnostics", "SQLite", "Predicates", "StoreInterface", "MemoryStore",
        "ObjectModel", "Platform", "TestStores", "TestQueries", "TestSupport",
      ]),
    .testTarget(
      name: "FileStoresTests",
      dependencies: [
        "FileStores", "PropertyLists", "ObjectGraph", "CoreDataLayout", "Predicates", "StoreInterface", "MemoryStore",
        "ObjectModel", "TestStores", "TestSupport",
      ]),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "Migration", "Diagnostics", "ObjectGraph", "CoreDataLayout", "SQLMigration", "Predicates", "StoreInterface",
        "ObjectModel",
        "ModelFiles", "NotesMigrationExample", "Platform", "SQLite", "TestSupport",
      ]),
    .testTarget(
      name: "SeedbedTests",
      dependencies: [
        "Seedbed", "Pipelines", "ResultFiles", "StoreModels", "Exports", "Dumps", "ChangeFiles", "Reports",
        "ImportEngine", "SeedFormats", "ObjectModel", "StoreInterface", "MemoryStore", "ObjectGraph",
        "CoreDataLayout", "SQLite", "TestStores", "TestSupport",
      ]),
    .testTarget(
      name: "SeedbedTestingTests", dependencies: ["Seedbed", "SeedbedTesting", "Dumps", "TestSupport"]),
    .testTarget(name: "IdiomTests", dependencies: ["Seedbed", "TestSupport"]),
    .testTarget(
      name: "AccessorTests",
      dependencies: [
        "Seedbed", "ObjectGraph", "CoreDataLayout", "Predicates", "StoreInterface", "MemoryStore", "ObjectModel",
        "ModelFiles", "TestSupport",
      ]),
    .testTarget(name: "SeedFormatsTests", dependencies: ["Platform", "SeedFormats", "TestSupport"]),
    .testTarget(name: "PipelinesTests", dependencies: ["Pipelines", "ObjectModel", "TestSupport"]),
    .testTarget(
      name: "ImportEngineTests",
      dependencies: [
        "Platform", "PropertyLists", "Seedbed", "Migration", "Pipelines", "StoreModels", "Reports",
        "ImportEngine", "SeedFormats", "CoreDataLayout", "SQLMigration", "SQLite", "SQLitePages", "Predicates",
        "StoreInterface", "MemoryStore", "ObjectGraph", "ObjectModel", "ModelFiles",
        "SeedbedTesting", "TestStores", "TestQueries", "TestSupport",
      ]),
    .testTarget(
      name: "ExportsTests",
      dependencies: [
        "Exports", "Pipelines", "SeedFormats", "CoreDataLayout", "SQLite", "ModelFiles", "ObjectModel",
        "TestSupport",
      ]),
    .testTarget(
      name: "DumpsTests",
      dependencies: [
        "Dumps", "Exports", "ImportEngine", "Pipelines", "Reports", "StoreModels", "SQLMigration", "CoreDataLayout",
        "SQLite", "ModelFiles", "ObjectModel", "PropertyLists", "TestMigrations", "TestSupport",
      ]),
    .testTarget(
      name: "StoreModelsTests", dependencies: ["StoreModels", "Migration", "ObjectModel"]),
    .testTarget(
      name: "ChangeFilesTests",
      dependencies: [
        "ChangeFiles", "Exports", "Pipelines", "CoreDataLayout", "MemoryStore", "ObjectGraph", "StoreInterface",
        "ObjectModel", "TestStores", "TestSupport",
      ]),
    .testTarget(
      name: "StoreDifferencesTests",
      dependencies: [
        "StoreDifferences", "CoreDataLayout", "StoreInterface", "ObjectModel", "Predicates", "Pipelines", "TestStores",
        "TestSupport", "TestMigrations",
      ]),
    .testTarget(
      name: "InferenceTests",
      dependencies: ["Inference", "Pipelines", "ImportEngine", "SeedFormats", "ObjectModel", "TestSupport"]),
    .testTarget(
      name: "SeedbedCommandTests",
      dependencies: [
        "Platform", "PropertyLists", "SQLite", "SeedFormats", "ModelFiles", "ObjectModel",
        "CoreDataLayout", "HistoryPeer", "Seedbed", "TestQueries", "TestSupport", crypto,
      ],
      exclude: ["Mistakes/project", "Mistakes/reader", "Mistakes/sources", "allocation-limits.json"]),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Platform", "PropertyLists", "CoreDataLayout", "SQLitePages", "SQLite", "StoreInterface", "ObjectModel",
        "ModelFiles", "TestRows", "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where ![.system, .plugin].contains(target.type) {
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
