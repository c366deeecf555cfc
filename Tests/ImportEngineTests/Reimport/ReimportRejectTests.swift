import Foundation
import Testing

@testable import ImportEngine
@testable import Reports

@Suite("Rejects of a feed that is imported again")
struct ReimportRejectTests {
  @Test("rejects have their places, and a document's elements their numbers", arguments: ["csv", "json", "ndjson"])
  func places(format: String) throws {
    var results: [Railway.Result] = []
    for settings in ReimportTests.settings {
      let railway = try Railway()
      railway.unchangedScan = settings
      railway.recordsPerBatch = 4
      try railway.write("lines.ndjson", ["{\"code\": \"l0\"}"])
      func feed(_ arrival: (Int) -> String) -> [String] {
        let rows = (0..<20).map { (number: $0, arrival: arrival($0)) }
        switch format {
        case "csv": return ["line,number,name,arrival"] + rows.map { "l0,\($0.number),\"A \"\"B\"\"\",\($0.arrival)" }
        case "json":
          let list = rows.map {
            "{\"line\": \"l0\", \"number\": \($0.number), \"name\": \"A\", \"arrival\": \"\($0.arrival)\"}"
          }
          return ["[\(list.joined(separator: ", "))]"]
        default:
          return rows.map {
            "{\"line\": \"l0\", \"number\": \($0.number), \"name\": \"\\u0041\", \"arrival\": \"\($0.arrival)\"}"
          }
        }
      }
      let steps = """
          - from: lines.ndjson
            entity: Line
            match: [code]
            map: { code: code }
          - from: halts.\(format)
            entity: Halt
            match: [line, number]
            map: { number: number, name: name, arrival: arrival, line: { match: code, from: line } }
        """
      try railway.write("halts.\(format)", feed { "\($0)" })
      try railway.run(steps, rejects: "limit: 100")
      try railway.write("halts.\(format)", feed { $0 % 6 == 5 ? "late" : $0 % 7 == 3 ? "1" : "\($0)" })
      results.append(try railway.run(steps))
    }
    #expect(results[0].counts[1].rejected == 3)
    #expect(results[0].counts[1].updated == 2)
    for result in results.dropFirst() { #expect(result.isSame(as: results[0])) }
  }

  @Test("records that the scanner cannot read are rejected once")
  func faults() throws {
    let railway = try Railway()
    railway.recordsPerBatch = 5
    let steps = """
        - from: lines.csv
          entity: Line
          match: [code]
          map: { code: code, color: color }
      """
    try railway.write("lines.csv", ["code,color"] + (0..<30).map { "l\($0),red" })
    try railway.run(steps, rejects: "limit: 100")
    try railway.write(
      "lines.csv",
      ["code,color"] + (0..<30).map { $0 == 12 ? "l12,red,surplus" : "l\($0),\($0 == 20 ? "blue" : "red")" })
    let result = try railway.run(steps)
    #expect(result.counts[0].unchanged == 28)
    #expect(result.counts[0].updated == 1)
    #expect(result.counts[0].rejected == 1)
  }
}
