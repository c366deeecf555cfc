import Foundation
import TestSupport
import Testing

@testable import Pipelines

@Suite("Mistakes in pipeline files")
struct PipelineProblemTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var yaml: String
    var problems: [String]
    var testDescription: String { name }
  }

  private static let start = "model: M.xcdatamodel\nstore: { path: S.sqlite }\n"
  private static let step = start + "import:\n  - from: a.csv\n    entity: E\n    map:\n"

  private static let cases: [Case] = [
    Case(name: "an empty file", yaml: "", problems: ["1:1 the file is empty"]),
    Case(name: "only comments", yaml: "# nothing\n\n", problems: ["1:1 the file is empty"]),
    Case(name: "a null document", yaml: "null", problems: ["1:1 the file is empty"]),
    Case(name: "a list at the top", yaml: "- a", problems: ["1:1 expected a mapping, found a list"]),
    Case(name: "text at the top", yaml: "hello", problems: ["1:1 expected a mapping, found text"]),
    Case(
      name: "missing keys", yaml: "import: []",
      problems: ["1:1 \"model\" is missing", "1:1 \"store\" is missing"]),
    Case(
      name: "unknown keys at several depths",
      yaml: """
        modle: M.xcdatamodel
        store: { path: S.sqlite, journl: wal }
        import:
          - from: a.csv
            entity: E
            on_match: keep
            map: { a: { form: b } }
        """,
      problems: [
        "1:1 unknown key \"modle\"", "2:26 unknown key \"journl\"",
        "6:5 unknown key \"on_match\"", "7:17 unknown key \"form\"",
      ]),
    Case(
      name: "wrong types",
      yaml: """
        model: [a]
        store: S.sqlite
        import: { from: a.csv }
        rejects: { limit: -1, percent: 101, file: [] }
        export:
          - 5
          - { entity: E, to: x.csv, safe-for-spreadsheets: maybe, columns: a, order: [[b]] }
        """,
      problems: [
        "1:8 expected a mapping, found a list",
        "2:8 expected a mapping, found text", "3:9 expected a list of steps, found a mapping",
        "4:19 expected integer from 0 on for \"limit\", found \"-1\"",
        "4:32 expected number from 0 to 100 for \"percent\", found \"101\"",
        "4:43 expected path for \"file\", found a list", "6:5 expected a mapping, found a number",
        "7:52 expected true or false for \"safe-for-spreadsheets\", found \"maybe\"",
        "7:68 expected a list of columns, found text", "7:79 expected a mapping, found a list",
      ]),
    Case(
      name: "words that are not allowed",
      yaml: """
        model: M.xcdatamodel
        store: { path: S.sqlite, journal: WAL, replace: sometimes }
        import:
          - { from: a.csv, entity: E, strategy: upserts, on-match: skip, duplicates: both, map: { a: b } }
        """,
      problems: [
        "2:35 \"WAL\" is not allowed for \"journal\": expected delete, wal",
        "2:49 \"sometimes\" is not allowed for \"replace\": expected always, never, when-changed",
        "4:41 \"upserts\" is not allowed for \"strategy\": expected automatic, find-or-create, upsert, bulk, restore",
        "4:60 \"skip\" is not allowed for \"on-match\": expected update, keep, fail, replace",
        "4:78 \"both\" is not allowed for \"duplicates\": expected last, first, reject",
      ]),
    Case(
      name: "repeated keys, with everything else",
      yaml: """
        model: M.xcdatamodel
        store: { path: S.sqlite, path: T.sqlite }
        "model": N.xcdatamodel
        import:
          - from: a.csv
            entity: E
            map:
              name: a
              "name": b
              name: c
              other: 1 +
        """,
      problems: [
        "2:26 \"path\" is given twice", "3:1 \"model\" is given twice", "9:7 \"name\" is given twice",
        "10:7 \"name\" is given twice",
        "11:17 expected a field, a constant, a function or \"(\", found the end, in the expression \"1 +\"",
      ]),
    Case(
      name: "YAML that is none", yaml: start + "import:\n  - from: [a.csv\n    entity: E\n",
      problems: ["5:11 not YAML: did not find expected ',' or ']' (while parsing a flow sequence)"]),
    Case(
      name: "a tab as indentation", yaml: "model: M\nstore:\n\tpath: S\n",
      problems: [
        "3:1 not YAML: found character that cannot start any token (while scanning for the next token)"
      ]),
    Case(
      name: "a quote that is not closed", yaml: "model: \"M\nstore: 1\n",
      problems: ["1:8 not YAML: the quote that opens here is never closed"]),
    Case(
      name: "two documents", yaml: start + "---\nmodel: N\n",
      problems: ["3:1 not YAML: but found another document (expected a single document in the stream)"]),
    Case(
      name: "an alias without its anchor", yaml: "model: *m\n", problems: ["1:8 not YAML: found undefined alias"]),
    Case(
      name: "a merge key", yaml: "model: M\nstore: &s { path: S }\nrejects: { <<: *s }\n",
      problems: ["3:12 merge keys (<<) are not supported"]),
    Case(
      name: "tags", yaml: "model: !!str M\nstore: !x { path: S, uuid: !!int \"5\" }\nimport: []\n",
      problems: [
        "1:8 tags are not supported", "2:8 tags are not supported", "2:28 tags are not supported",
        "2:28 \"5\" is not a UUID",
      ]),
    Case(
      name: "framework versions and moments that are none",
      yaml: "model: M\nstore: { path: S, framework: 9999, now: tomorrow }\nimport: []\n",
      problems: [
        "2:30 9999 is no framework version whose layout is known", "2:41 \"tomorrow\" is not a date in ISO 8601",
      ]),
    Case(
      name: "keys that are no names", yaml: start + "? [a]\n: 1\n",
      problems: ["3:3 expected a name, found a list"]),
    Case(
      name: "values that are left out",
      yaml: "model:\nstore: { path: }\nimport:\n  - from: a.csv\n    entity:\n    map:\n",
      problems: [
        "1:7 expected path for \"path\", found nothing", "2:10 expected path for \"path\", found nothing",
        "5:5 expected text for \"entity\", found nothing", "6:5 expected a mapping of property names, found nothing",
      ]),
    Case(
      name: "formats, characters and fields that do not go together",
      yaml: """
        model: M.xcdatamodel
        store: { path: S.sqlite, uuid: abc }
        import:
          - { from: a.data, entity: A, map: { a: b } }
          - { from: -, entity: A, map: { a: b } }
          - { from: { path: a.csv, delimiter: "::→" }, entity: A, map: { a: b } }
          - { from: { path: a.csv, quote: "," }, entity: A, map: { a: b } }
          - { from: { path: a.csv, pointer: /a }, entity: A, map: { a: b } }
          - { from: { path: a.json, header: false, pointer: a.b }, entity: A, map: { a: b } }
          - { from: { path: a.csv, header: false }, entity: A, map: { a: b } }
          - { from: { path: a.csv, dates: yy-MM-dd, time-zone: Europe/Berln }, entity: A, map: { a: b } }
          - { from: { path: a.csv, encoding: utf8, columns: [a, b, a] }, entity: A, map: { a: b } }
        """,
      problems: [
        "2:32 \"abc\" is not a UUID", "4:13 the name does not tell the format",
        "5:13 a standard stream has no name to tell the format",
        "6:39 expected one to eight ASCII characters for \"delimiter\", found \"::→\"",
        "7:35 \"quote\" and \"delimiter\" are the same character", "8:37 \"pointer\" means nothing for format csv",
        "9:37 \"header\" means nothing for format json", "9:53 \"a.b\" is not a JSON Pointer",
        "10:36 \"columns\" is missing: without a header the columns have no names",
        "11:35 years of two digits (yy) do not say the century", "11:56 there is no time zone \"Europe/Berln\"",
        "12:38 \"utf8\" is not allowed for \"encoding\": expected utf-8, utf-16, utf-16le, utf-16be, latin-1, windows-1252",
        "12:53 \"a\" is given twice in \"columns\"",
      ]),
    Case(
      name: "mistakes in expressions, at their place in the file",
      yaml: step + """
              a: trim(name
              b: "x ++ 'y"
              c: trimm(x)
              d: 'it''s == = 1'
              e: >-
                folded text +
              f: [a, b]
              g: { from: [a], nulls: { a: b } }
              h:
              i: date(x, "dd.MM")
              j: 99999999999999999999
        """,
      problems: [
        "7:19 expected \")\", found the end, in the expression \"trim(name\"",
        "8:16 the text is not closed: expected ', in the expression \"x ++ 'y\"",
        "9:10 there is no function \"trimm\", in the expression \"trimm(x)\"",
        "10:10 the text is not closed: expected ', in the expression \"it's == = 1\"",
        "11:10 expected an operator or the end, found \"text\", in the expression \"folded text +\"",
        "13:10 expected an expression or a mapping for \"f\", found a list",
        "14:18 expected an expression, found a list",
        "14:30 expected text or list of texts for \"nulls\", found a mapping",
        "15:7 expected an expression, found nothing",
        "16:18 the date pattern \"dd.MM\" has no year (y), in the expression \"date(x, \"dd.MM\")\"",
        "17:10 the number 99999999999999999999 is out of range",
      ]),
    Case(
      name: "mistakes in references, nested objects and columns",
      yaml: step + """
              a: { match: [x, y], from: z }
              b: { match: [], from: [] }
              c: { match: x, from: z, missing: ignore, separator: "" }
              d: { from: o, map: {} }
              e: { from: o, mapp: { a: b } }
              f: { value: }
        export:
          - { entity: E, to: x.csv, columns: [a, a, b..c, { name: d }], order: [-] }
          - { entity: E, to: x.json }
        """,
      problems: [
        "7:33 \"match\" has 2 attributes, but \"from\" has 1 expressions",
        "8:29 \"match\" has 0 attributes, but \"from\" has 0 expressions",
        "9:40 \"ignore\" is not allowed for \"missing\": expected reject, null", "9:59 the separator is empty",
        "10:26 map is empty", "11:21 unknown key \"mapp\"", "12:12 expected a constant, found nothing",
        "14:42 there are two columns \"a\"", "14:45 \"b..c\" is no path of properties", "14:51 \"value\" is missing",
        "14:73 \"\" is no path of properties", "15:22 the name does not tell the format",
      ]),
  ]

  @Test("mistakes are reported all at once, with line and column", arguments: cases)
  func problems(example: Case) throws {
    let found = try ProjectFolder().problems(example.yaml)
    #expect(found == example.problems)
  }

  @Test("near misses are suggested")
  func suggestions() throws {
    let error = #expect(throws: PipelineError.self) {
      try ProjectFolder().read("modle: M\nstore: { path: S, journal: wall }\nimport: [{ map: { a: { form: x } } }]")
    }
    let hints = error?.problems.compactMap(\.hint).filter { $0.hasPrefix("did you mean") }
    #expect(hints == ["did you mean \"model\"?", "did you mean \"wal\"?", "did you mean \"from\"?"])
    #expect(error?.description.contains("pipelines/test.yaml:1:1: unknown key \"modle\"\n  hint: did you mean") == true)
  }

  @Test("aliases that multiply end quickly, in values and in keys")
  func aliasBombs() throws {
    var values = "a0: &a0 [x, x]\n"
    for level in 1...60 { values += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    let bomb = values + "import: *a60\n"
    #expect(try !ProjectFolder().problems(bomb).isEmpty)
    let keys = try ProjectFolder().problems(values + "? *a60\n: 1\n? [*a60]\n: 2\n")
    #expect(keys == ["62:1 aliases inside keys are not supported"])
    var chain = "  x0: &l0 { from: x, map: { y: z, w: z } }\n"
    for level in 1...20 {
      chain += "      x\(level): &l\(level) { from: x, map: { y: *l\(level - 1), w: *l\(level - 1) } }\n"
    }
    let endless = try ProjectFolder().problems(
      "model: M\nstore: { path: S }\nimport:\n  - from: a.json\n    entity: E\n    map:\n    \(chain)")
    #expect(endless.contains { $0.hasSuffix("the file has more than 100000 values once its aliases are followed") })
  }

  @Test("a map that nests without end is refused")
  func deepMap() throws {
    let depth = 40
    let map = String(repeating: "{ from: a, map: { b: ", count: depth) + "c" + String(repeating: " } }", count: depth)
    let problems = try ProjectFolder().problems(
      "model: M\nstore: { path: S }\nimport: [{ from: a.json, entity: E, map: { b: \(map) } }]")
    #expect(problems.count == 1)
    #expect(problems.first?.hasSuffix("map nests deeper than 32 levels") == true)
  }

  @Test("brackets and indentation without end are refused", arguments: ["[", "{a: ", "- ", "? "])
  func deepNodes(opening: String) throws {
    let problems = try ProjectFolder().problems("import: \n " + String(repeating: opening, count: 50_000) + "x")
    #expect(!problems.isEmpty)
  }

  @Test("a damaged file is an error with problems, never a crash")
  func damagedFiles() throws {
    let project = try ProjectFolder()
    var generator = SeededGenerator(seed: 7)
    let base = Array(
      (Self.step + "      a: trim(b)\n      c: { match: d, from: e }\nrejects: { limit: 3 }\n").unicodeScalars)
    let noise = Array("{}[]:,&*!|>'\"%@`#-? \n\t$~ä".unicodeScalars)
    for _ in 0..<400 {
      var scalars = base
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<scalars.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: scalars.remove(at: place)
        case 1: scalars.insert(noise[Int.random(in: 0..<noise.count, using: &generator)], at: place)
        default: scalars[place] = noise[Int.random(in: 0..<noise.count, using: &generator)]
        }
      }
      do {
        _ = try project.read(String(String.UnicodeScalarView(scalars)))
      } catch {
        #expect(!error.problems.isEmpty)
        #expect(error.problems.allSatisfy { $0.position.map { $0.line >= 1 && $0.column >= 1 } == true })
      }
    }
  }
}
