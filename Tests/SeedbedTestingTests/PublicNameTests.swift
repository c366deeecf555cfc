import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Public names")
struct PublicNameTests {
  /// Every public type of the library, as a test writes it that imports Foundation, Seedbed and Testing too.
  private static let all: [Any.Type] = [
    ExpectationTimeout.self, FailingStoreType.self, FixtureError.self, Fixtures.self, GenerationError.self,
    ObjectGenerator.self, StackMeasurement<Int>.self, StoreFailures.self,
  ]

  @Test("every public type can be written without its module beside Foundation, Seedbed and Testing")
  func names() throws {
    let folder = FixtureFolder.packageRoot.appending(path: "Sources/SeedbedTesting")
    let declaration = /^public (?:final )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
      .anchorsMatchLineEndings()
    var names: Set<String> = []
    for case let file as String in try #require(FileManager.default.enumerator(atPath: folder.path))
    where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      names.formUnion(text.matches(of: declaration).map { String($0.1) })
    }
    #expect(names == Set(Self.all.map { String(String(describing: $0).prefix { $0 != "<" }) }))
  }

  @Test("errors say what they say to people and to programs")
  func errors() async throws {
    let context = try PersistentContainer.inMemory(Journal.model()).newBackgroundContext()
    let fixture = #expect(throws: FixtureError.self) { try context.insertFixtures(ndjson: "{}", entityName: "None") }
    var generator = ObjectGenerator()
    let generation = #expect(throws: GenerationError.self) { try generator.insert(1, of: "None", into: context) }
    let timeout = await #expect(throws: ExpectationTimeout.self) {
      try await context.expectSave(within: .milliseconds(1)) {}
    }
    for error in [fixture, generation, timeout] as [(any Error)?] {
      let error = try #require(error) as NSError
      #expect(error.domain.hasPrefix("Seedbed.") && error.code == 1)
      #expect(!error.localizedDescription.isEmpty && !error.localizedDescription.contains("couldn’t be completed"))
    }
  }
}
