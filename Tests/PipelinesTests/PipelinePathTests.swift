import Foundation
import Testing

@testable import Pipelines

@Suite("Paths and variables of pipeline files")
struct PipelinePathTests {
  @Test(
    "variables are put in where the documentation says",
    arguments: [
      ("plain $5", "plain $5", nil), ("${A}/x", "/data/x", "/data"), ("a${B}c${B}", "abcb", nil),
      ("$${A}", "${A}", nil),
      ("${N:none}", "none", nil), ("${N:}", "", nil), ("${E:x}", "", ""), ("${N:a:b}", "a:b", nil), ("$$$", "$$", nil),
      ("${N:/etc}/x", "/etc/x", nil),
    ] as [(String, String, String?)])
  func variables(written: String, text: String, leading: String?) throws {
    let expansion = try EnvironmentExpansion(written, environment: ["A": "/data", "B": "b", "E": ""])
    #expect(expansion.text == text)
    #expect(expansion.leadingValue == leading)
  }

  @Test("a pattern finds names in either spelling of a letter with an accent, and no others")
  func accents() {
    let names = ["Caf\u{E9} 1.csv", "Cafe\u{301} 2.csv", "Cafe 3.csv"]
    for pattern in ["Caf\u{E9}*.csv", "Cafe\u{301}*.csv", "Caf[\u{E9}] ?.csv"] {
      #expect(names.filter { FilePattern.matches(path: $0, pattern: pattern) } == Array(names.prefix(2)), "\(pattern)")
    }
  }

  @Test("variables that are not set or not written well are mistakes at their place")
  func badVariables() throws {
    let yaml = """
      model: "M-${NONE}.xcdatamodel"
      store: { path: "${A", journal: "${J:wal}" }
      rejects: { file: "${1x}", limit: "${L}" }
      """
    #expect(
      try ProjectFolder().problems(yaml, environment: ["L": "3"]) == [
        "1:11 the environment variable NONE is not set", "2:17 \"${\" is not closed",
        "3:19 \"1x\" is no name of an environment variable",
      ])
    let file = try ProjectFolder().read(
      "model: M.xcdatamodel\nstore: { path: S.sqlite, journal: '${J:wal}' }\nrejects: { limit: '${L}' }",
      environment: ["L": "3"])
    #expect(file.rejects.limit == 3)
    #expect(file.store.journal == .wal)
  }

  private static func path(
    _ written: String, in project: ProjectFolder, _ environment: [String: String] = [:], allowOutside: Bool = false
  ) throws(PipelineError) -> String {
    try project.read(
      "model: M.xcdatamodel\nstore: { path: \"\(written)\" }", environment: environment, allowOutside: allowOutside
    ).store.path
  }

  @Test("paths stay inside the project unless the operator says otherwise")
  func containment() throws {
    let project = try ProjectFolder()
    let inside = [
      ("S.sqlite", "/pipelines/S.sqlite"), ("../a/./b/../S.sqlite", "/a/S.sqlite"), ("x//y", "/pipelines/x/y"),
    ]
    for (written, expected) in inside {
      #expect(try Self.path(written, in: project) == project.path + expected)
    }
    #expect(try Self.path(project.path + "/S.sqlite", in: project) == project.path + "/S.sqlite")
    let environment = ["OUT": "/elsewhere/out", "RELATIVE": "../.."]
    for written in [
      "../../S.sqlite", "/etc/passwd", "${OUT}/../../etc/x", "${NONE:/etc}/x", "${RELATIVE}/x", "/x/${OUT}",
    ] {
      let error = #expect(throws: PipelineError.self) { try Self.path(written, in: project, environment) }
      #expect(error?.problems.first?.code == "pipeline.path", "\(written)")
    }
    #expect(try Self.path("${OUT}/S.sqlite", in: project, environment) == "/elsewhere/out/S.sqlite")
    #expect(try Self.path("${OUT}.sqlite", in: project, environment) == "/elsewhere/out.sqlite")
    #expect(try Self.path("/etc/x", in: project, allowOutside: true) == "/etc/x")
  }

  @Test("streams of the process are no files of the project, and no other device is exempt")
  func processStreams() throws {
    let project = try ProjectFolder()
    func isAllowed(_ more: String) -> Bool {
      let yaml = "model: M.xcdatamodel\nstore: { path: S.sqlite }\n" + more
      return (try? project.read(yaml)) != nil
    }
    let paths = [
      "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/fd/0", "/dev/fd/63", "/dev/fd/", "/dev/fd/x",
      "/dev/fd/3/../../../etc/passwd", "/dev/zero", "/dev/tty", "/proc/self/fd/0", "/dev",
    ]
    let sources = paths.filter {
      isAllowed("import: [{ from: { path: \($0), format: csv }, entity: E, map: { a: b } }]")
    }
    #expect(sources == ["/dev/stdin", "/dev/fd/0", "/dev/fd/63"])
    let targets = paths.filter { isAllowed("export: [{ entity: E, to: \($0), format: csv }]") }
    #expect(targets == ["/dev/stdout", "/dev/stderr", "/dev/null", "/dev/fd/0", "/dev/fd/63"])
    #expect(paths.filter { isAllowed("rejects: { file: \($0) }") } == [])
  }

  @Test("a link inside the project does not lead out of it")
  func links() throws {
    let project = try ProjectFolder(files: ["seeds/a.csv"])
    let outside = try ProjectFolder(files: ["b.csv"])
    try FileManager.default.createSymbolicLink(atPath: project.path + "/out", withDestinationPath: outside.path)
    try FileManager.default.createSymbolicLink(
      atPath: project.path + "/seeds/b.csv", withDestinationPath: outside.path + "/b.csv")
    #expect(throws: PipelineError.self) { try Self.path("../out/new/S.sqlite", in: project) }
    let yaml = "model: M\nstore: { path: S }\nimport: [{ from: ../seeds/*.csv, entity: E, map: { a: b } }]"
    #expect(throws: PipelineError.self) { try project.read(yaml) }
    #expect(try project.read(yaml, allowOutside: true).imports[0].source.paths.count == 2)
  }

  @Test("the project folder is found as documented")
  func projectFolder() throws {
    let project = try ProjectFolder(files: ["sub/.git", "sub/a/b/x", "pkg/Package.swift", "pkg/pipelines/x"])
    func root(_ file: String) -> String {
      String(ProjectPaths(pipelinePath: project.path + file, allowsOutside: false).root.dropFirst(project.path.count))
    }
    #expect(root("/sub/a/b/p.yaml") == "/sub")
    #expect(root("/pkg/pipelines/p.yaml") == "/pkg")
    #expect(root("/other/p.yaml") == "")
    // Without a marker anywhere above.
    #expect(ProjectPaths(pipelinePath: "/nowhere/pipelines/p.yaml", allowsOutside: false).root == "/nowhere")
    #expect(ProjectPaths(pipelinePath: "/nowhere/other/p.yaml", allowsOutside: false).root == "/nowhere/other")
  }

  @Test("standard streams are for sources, rejects and exports only")
  func standardStreams() throws {
    let problems = try ProjectFolder().problems(
      "model: '-'\nstore: { path: '-' }\nrejects: { file: '-' }\nexport: [{ entity: E, to: '-', format: csv }]")
    #expect(
      problems == [
        "1:8 \"path\" cannot be a standard stream (-)", "2:16 \"path\" cannot be a standard stream (-)",
      ])
  }
}
