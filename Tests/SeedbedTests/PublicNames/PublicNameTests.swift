import Foundation
import Seedbed
import TestSupport
import Testing

@Suite("Public names")
struct PublicNameTests {
  static let sources = FixtureFolder.packageRoot.appending(path: "Sources")

  /// The modules of this package that `import Seedbed` brings.
  static func engineModules() throws -> [String] {
    let text = try String(contentsOf: sources.appending(path: "Seedbed/Seedbed.swift"), encoding: .utf8)
    return text.matches(of: /@_exported public import (\w+)/).map { String($0.1) }.filter { $0 != "Foundation" }
  }

  /// The types that the sources of modules declare as public or open outside of other types.
  static func publicTypes(of modules: [String]) throws -> Set<String> {
    let declaration =
      /^(?:@\w+(?:\([^)]*\))? +)*(?:public|open) (?:(?:final|indirect|nonisolated|unsafe) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
      .anchorsMatchLineEndings()
    var names: Set<String> = []
    for module in modules {
      let folder = sources.appending(path: module)
      for case let file as String in try #require(FileManager.default.enumerator(atPath: folder.path))
      where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        names.formUnion(text.matches(of: declaration).map { String($0.1) })
      }
    }
    return names
  }

  private static func names(_ types: [Any.Type]) -> Set<String> {
    Set(types.map { String(String(describing: $0).prefix { $0 != "<" }) })
  }

  @Test("every public type of the engine can be written without its module where Foundation and Seedbed are imported")
  func engine() throws {
    let modules = try Self.engineModules()
    #expect(modules.count >= 8)
    // Other names of types are not to be told from these.
    let aliases: [String: Any.Type] = [
      "ComparisonPredicate": ComparisonPredicate.self, "CompoundPredicate": CompoundPredicate.self,
      "FetchIndexElementType": FetchIndexElementType.self, "ManagedObjectID": ManagedObjectID.self,
      "MergePolicyType": MergePolicyType.self, "SnapshotEventType": SnapshotEventType.self,
    ]
    #expect(try Self.publicTypes(of: modules) == Self.names(EveryEngineType.all).union(aliases.keys))
  }

  @Test("so can every public type of pipelines and seed formats")
  func pipelines() throws {
    #expect(
      try Self.publicTypes(of: [
        "SeedFormats", "Pipelines", "ResultFiles", "StoreModels", "Exports", "Dumps", "ChangeFiles", "Reports",
        "ImportEngine",
      ])
        == Self.names(EveryPipelineType.all))
  }

  @Test("no public type has a name that Foundation has on Apple's systems only")
  func appleNames() throws {
    let others = try Self.publicTypes(of: ["StoreDifferences", "Inference", "SQLite", "SQLitePages"])
    #expect(!others.isEmpty)
    let ours = Self.names(EveryEngineType.all).union(Self.names(EveryPipelineType.all)).union(others)
    #expect(ours.intersection(AppleFoundation.names).isEmpty)
  }

  @Test("one import is enough for a program")
  func oneImport() throws {
    #expect(try titlesOfLongBooks() == ["Middlemarch", "War and Peace"])
  }
}
