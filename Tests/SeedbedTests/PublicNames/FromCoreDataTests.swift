import Foundation
import Seedbed
import Testing

/// docs/FROM-CORE-DATA.md, as far as a program can tell whether it is true.
@Suite("The page for Core Data code")
struct FromCoreDataTests {
  private static let page = PublicNameTests.sources.deletingLastPathComponent().appending(
    path: "docs/FROM-CORE-DATA.md")

  /// The text under a heading, to the next one.
  private static func section(_ heading: String) throws -> Substring {
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "\n\(heading)\n")).upperBound
    return text[start...].prefix(upTo: text[start...].range(of: "\n##")?.lowerBound ?? text.endIndex)
  }

  private static func rows(_ section: Substring) -> [[Substring]] {
    section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.split(separator: " | ", omittingEmptySubsequences: false)
    }
  }

  /// What stands between backticks.
  private static func code(_ text: Substring) -> [String] {
    text.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test("every type that it names is a public one")
  func types() throws {
    let aliases: Set = ["CompoundPredicate", "ComparisonPredicate", "FetchIndexElementDescription"]
    let types = try PublicNameTests.publicTypes(of: PublicNameTests.engineModules()).union(aliases)
    let rows = Self.rows(try Self.section("### Every class, structure, enumeration and protocol"))
    #expect(rows.count > 50)
    for row in rows where row.count > 1 && !row[1].contains("none") {
      let names = Self.code(row[1]).compactMap { $0.prefixMatch(of: /[A-Z]\w*/).map { String($0.output) } }
      #expect(!names.isEmpty && types.isSuperset(of: names), "\(row[1])")
    }
  }

  @Test("what is the same without NS is declared so")
  func constants() throws {
    var declared: Set<String> = []
    for module in try PublicNameTests.engineModules() {
      let folder = PublicNameTests.sources.appending(path: module)
      for case let file as String in try #require(FileManager.default.enumerator(atPath: folder.path))
      where file.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        declared.formUnion(text.matches(of: /public (?:static )?let (\w+)/).map { String($0.1) })
      }
    }
    var told: Set<String> = []
    for heading in ["### Notifications and what they carry", "### Errors"] {
      let text = try Self.section(heading)
      let paragraph = text.prefix(upTo: text.range(of: "\n| ")?.lowerBound ?? text.endIndex)
      told.formUnion(
        Self.code(paragraph).compactMap {
          $0.wholeMatch(of: /\.?NS(?!CocoaErrorDomain|Error$)(\w+)/).map { String($0.1) }
        })
    }
    #expect(told.count > 50)
    #expect(told.subtracting(declared) == [])
  }
}
