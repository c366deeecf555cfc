import Foundation
import Testing

@testable import Pipelines

@Suite("Reading pipeline files")
struct PipelineReaderTests {
  private static let transit = """
    # pipelines/transit.yaml
    model: ../seeds/transit/Transit.xcdatamodeld
    store:
      path: ../build/Transit.sqlite
      journal: delete
      seed: null
      replace: always
    import:
      - from: ../seeds/transit/stops.csv.gz
        entity: Stop
        match: [identifier]
        strategy: automatic
        on-match: update
        map:
          identifier: stop_id
          latitude: stop_lat
          normalizedName: normalized(stop_name)
          kind: '"bus"'
          zone: 5
          parent: { match: stop_id, from: parent_station }
          location: { from: place, entity: Place, map: { lat: latitude, owner: { from: owner, map: { name: /name } } } }
      - from: { path: ../seeds/transit/stop_times.csv.gz, format: csv, delimiter: ";", nulls: ["", "NULL"] }
        entity: StopTime
        where: "pickup_type != 1"
        map:
          departureTime: duration(departure_time)
          stop: { match: identifier, from: stop_id }
          day: { from: day, date: dd/MM/yyyy, time-zone: Europe/Berlin, default: never, nulls: "-" }
          price: price in cents
    rejects: { file: ../build/transit.rejects.csv, limit: 0, percent: 0.1 }
    export:
      - entity: Stop
        to: ../build/stops.csv.gz
        columns: [identifier, name, { name: where, value: parent.identifier }]
        order: [identifier, -parent.name, { by: name, direction: descending }]
    """

  @Test("the design's example is read with absolute paths and defaults")
  func example() throws {
    let project = try ProjectFolder()
    let file = try project.read(Self.transit)
    #expect(file.modelPath == project.path + "/seeds/transit/Transit.xcdatamodeld")
    #expect(file.modelVersion == nil)
    #expect(file.store.path == project.path + "/build/Transit.sqlite")
    #expect(file.store.journal == .delete)
    #expect(file.store.seed == nil)
    #expect(file.store.position == FilePosition(line: 4, column: 3))
    #expect(file.rejects.limit == 0)
    #expect(file.rejects.percent == 0.1)

    let stops = file.imports[0]
    #expect(stops.name == "Stop")
    #expect(stops.source.paths == [project.path + "/seeds/transit/stops.csv.gz"])
    #expect(stops.source.format == .csv)
    #expect(stops.source.delimiter == UInt8(ascii: ","))
    #expect(stops.source.quote == UInt8(ascii: "\""))
    #expect(stops.source.nulls == [""])
    #expect(stops.match == ["identifier"])
    #expect(stops.duplicates == .last)
    #expect(stops.position == FilePosition(line: 9, column: 5))
    #expect(
      stops.map.map(\.property) == [
        "identifier", "latitude", "normalizedName", "kind", "zone", "parent", "location",
      ])
    #expect(stops.map[2].position == FilePosition(line: 17, column: 7))
    #expect(expression(stops.map[2]) == .call(.normalized, [.field("stop_name")]))
    #expect(expression(stops.map[3]) == .constant(.string("bus")))
    #expect(expression(stops.map[4]) == .constant(.integer(5)))
    guard case .reference(let parent) = stops.map[5].value, case .nested(let location) = stops.map[6].value else {
      Issue.record("expected a reference and nested objects")
      return
    }
    #expect(parent.match == ["stop_id"])
    #expect(parent.from.map(\.root) == [.field("parent_station")])
    #expect(parent.onMissing == .reject)
    #expect(location.entity == "Place")
    #expect(location.map.count == 2)

    let times = file.imports[1]
    #expect(times.source.delimiter == UInt8(ascii: ";"))
    #expect(times.source.nulls == ["", "NULL"])
    #expect(times.condition?.root == .binary(.notEqual, .field("pickup_type"), .constant(.integer(1))))
    guard case .attribute(let day) = times.map[2].value else {
      Issue.record("expected an attribute")
      return
    }
    #expect(day.dateFormat == "dd/MM/yyyy")
    #expect(day.timeZone == "Europe/Berlin")
    #expect(day.nulls == ["-"])
    #expect(day.defaultValue?.root == .constant(.string("never")))
    #expect(expression(times.map[3]) == .field("price in cents"))

    let export = file.exports[0]
    #expect(export.format == .csv)
    #expect(export.columns.map(\.name) == ["identifier", "name", "where"])
    #expect(export.columns.map(\.keyPath) == [["identifier"], ["name"], ["parent", "identifier"]])
    #expect(export.order.map(\.keyPath) == [["identifier"], ["parent", "name"], ["name"]])
    #expect(export.order.map(\.isAscending) == [true, false, false])
  }

  private func expression(_ entry: MapEntry) -> RecordExpression.Node? {
    guard case .attribute(let mapped) = entry.value else { return nil }
    return mapped.expression.root
  }

  /// A step of one line around the source and format of a table.
  private static func pipeline(from source: String) -> String {
    "model: M.xcdatamodel\nstore: { path: S.sqlite }\nimport: [{ from: \(source), entity: E, map: { a: b } }]"
  }

  @Test(
    "the format is told by the file's name",
    arguments: [
      ("a.csv", .csv), ("a.csv.gz", .csv), ("a.txt", .csv), ("a.TSV", .tsv), ("a.tsv.gz", .tsv), ("a.json", .json),
      ("a.b.json.gz", .json), ("a.ndjson", .ndjson), ("a.jsonl.gz", .ndjson), ("{ path: -, format: ndjson }", .ndjson),
      ("{ path: a.csv, format: tsv }", .tsv), ("{ path: a.csv, format: null }", .csv),
    ] as [(String, SourceSettings.Format)])
  func formats(source: String, format: SourceSettings.Format) throws {
    let settings = try ProjectFolder().read(Self.pipeline(from: source)).imports[0].source
    #expect(settings.format == format)
    #expect(settings.delimiter == UInt8(ascii: format == .tsv ? "\t" : ","))
    #expect(settings.nulls == (format == .csv || format == .tsv ? [""] : []))
  }

  @Test("a pattern gives its files sorted by path, and none is a missing input")
  func patterns() throws {
    let project = try ProjectFolder(
      files: [
        "seeds/b-2.csv", "seeds/a-10.csv", "seeds/a-9.csv", "seeds/.a-0.csv", "seeds/a-1.json", "seeds/x/a-3.csv",
      ])
    func names(_ pattern: String) throws -> [String] {
      try project.read(Self.pipeline(from: pattern)).imports[0].source.paths.map {
        String($0.dropFirst(project.path.count + 7))
      }
    }
    #expect(try names("../seeds/*.csv") == ["a-10.csv", "a-9.csv", "b-2.csv"])
    #expect(try names("\"../seeds/[!b]-?.csv\"") == ["a-9.csv"])
    #expect(try names("\"../seeds/[a-c]-[0-9].csv\"") == ["a-9.csv", "b-2.csv"])
    #expect(try names("../*/*/a-?.csv") == ["x/a-3.csv"])
    let error = #expect(throws: PipelineError.self) { try project.read(Self.pipeline(from: "../seeds/z*.csv")) }
    #expect(error?.kind == .missing)
    #expect(error?.exitCode == 66)
    let mixed = #expect(throws: PipelineError.self) {
      try project.read(Self.pipeline(from: "../seeds/z*.csv") + "\nx: 1")
    }
    #expect(mixed?.exitCode == 78)
  }

  @Test("a pipeline file that is not there or no UTF-8 is an error with its place")
  func unreadable() throws {
    let project = try ProjectFolder()
    let missing = #expect(throws: PipelineError.self) {
      try PipelineReader.read(path: project.path + "/none.yaml", environment: [:])
    }
    #expect(missing?.exitCode == 66)
    let path = project.path + "/latin.yaml"
    try Data([0x61, 0x3A, 0x0A, 0x62, 0xE4, 0x0A]).write(to: URL(fileURLWithPath: path))
    let latin = #expect(throws: PipelineError.self) { try PipelineReader.read(path: path, environment: [:]) }
    #expect(latin?.problems.first?.position == FilePosition(line: 2, column: 2))
    #expect(latin?.exitCode == 78)
  }

  @Test("a run that states no limit allows no reject, and a percentage alone sets no limit by count")
  func rejectLimits() throws {
    let project = try ProjectFolder()
    let start = "model: M.xcdatamodel\nstore: { path: S.sqlite }\n"
    #expect(try project.read(start).rejects.limit == 0)
    #expect(try project.read(start + "rejects: { file: r.csv }").rejects.limit == 0)
    #expect(try project.read(start + "rejects: { percent: 5 }").rejects.limit == nil)
    #expect(try project.read(start + "rejects: { percent: 5, limit: 7 }").rejects.limit == 7)
  }
}
