import Foundation
import TestSupport
import Testing

@testable import SeedFormats

/// Lines above the header, delimiters of several characters, and the line that states the delimiter.
@Suite("CSV: preambles and delimiters")
struct CSVPreambleTests {
  private func options(_ change: (inout FormatOptions) -> Void) -> FormatOptions {
    var options = FormatOptions.csv
    change(&options)
    return options
  }

  /// The texts of all fields, the fields of a record joined by `·`, whatever pieces the source comes in.
  private func records(_ text: String, _ options: FormatOptions, _ columns: [String]) -> [String] {
    var all: [[String]] = []
    for blockSize in [1, 2, 3, 5, 4096] {
      for events in [
        events(Array(text.utf8), options, columns, blockSize: blockSize),
        eventsScannedApart(Array(text.utf8), options, columns, blockSize: blockSize, maximumRecords: 2),
      ] {
        all.append(
          events.map { event in
            switch event {
            case .record(let fields, let line, _, _):
              "\(line): " + fields.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: "·")
            case .fault(let code, let line, _, _): "\(line): \(code)"
            case .failure(let code): code
            }
          })
      }
    }
    for other in all { #expect(other == all[0]) }
    return all[0]
  }

  @Test(
    "a delimiter of several characters ends a field where all of it stands",
    arguments: [
      ("a||b\n1||2\n", ["2: 1·2"]), ("a||b\n1|x||2\n", ["2: 1|x·2"]), ("a||b\n1|||2\n", ["2: 1·|2"]),
      ("a||b\n1||||2\n", ["2: csv.ragged"]), ("a||b\n||\n", ["2: ·"]), ("a||b\n1||2|\n", ["2: 1·2|"]),
      ("a||b\n\"1||x\"||\"2\n3\"\n4||5", ["2: 1||x·2\n3", "4: 4·5"]),
      ("a||b\n\"1\"|2||3\n", ["2: csv.text-after-quote"]),
      ("a||b\n1||2\n3||\"4\"|\n", ["2: 1·2", "3: csv.text-after-quote"]),
      ("a||b\n1||2\n\"3\"|x||4\n5||6\n", ["2: 1·2", "3: csv.text-after-quote", "4: 5·6"]),
      ("a||b\n\"x\"\"y\"||2\r\n3||4\r\n", ["2: x\"y·2", "3: 3·4"]), ("a||b\n1|2\n", ["2: csv.ragged"]),
      ("a||b\n\"1\"||\"2\"", ["2: 1·2"]), ("a||b\né||ü\n", ["2: é·ü"]),
    ])
  func longDelimiters(text: String, expected: [String]) {
    #expect(records(text, options { $0.delimit(by: Array("||".utf8)) }, ["a", "b"]) == expected)
  }

  @Test("random texts give the same records as with one character")
  func sameAsOneCharacter() {
    var random = SeededGenerator(seed: 3)
    let pieces = ["x", "é", ";", "\"a;b\"", "\"q\"\"q\"", "\n", "\r\n", "1", " ", "\"two\nlines\""]
    for _ in 0..<300 {
      let text =
        "a;b\n"
        + (0..<Int.random(in: 0...12, using: &random)).map { _ in
          pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }.joined()
      let one = records(text, options { $0.delimiter = UInt8(ascii: ";") }, ["a", "b"])
      let long = records(
        text.replacing(";", with: "<->"), options { $0.delimit(by: Array("<->".utf8)) }, ["a", "b"]
      ).map { $0.replacing("<->", with: ";") }
      #expect(one == long, "\(text)")
    }
  }

  @Test("lines above the header are passed over, and counted")
  func skippedLines() {
    let skips = options { $0.skippedLines = 2 }
    #expect(records("Stops\n\"of 2026,\na,b\n1,2\n", skips, ["a", "b"]) == ["4: 1·2"])
    #expect(records("\u{FEFF}Stops\r\n\r\na,b\r\n1,2\r\n", skips, ["a", "b"]) == ["4: 1·2"])
    #expect(records("x\ry\ra,b\r1,2\r", skips, ["a", "b"]) == ["4: 1·2"])
    #expect(records("x\n", skips, ["a"]) == ["csv.empty"])
    #expect(records("", skips, ["a"]) == ["csv.empty"])
    #expect(records("x\ny", skips, ["a"]) == ["csv.empty"])
    let long = String(repeating: "x", count: 3000)
    #expect(records("\(long)\n\(long)\na\n1\n", skips, ["a"]) == ["4: 1"])
  }

  @Test(
    "what is wrong with a header below is told with its line",
    arguments: [
      ("x\ny\na,b\n", UInt64(3), "csv.unknown-column"), ("x\ny\n\n\na,b\n", 5, "csv.unknown-column"),
      ("x\ny\nc,c\n", 3, "csv.duplicate-column"), ("x\ny\na;c\n", 3, "csv.delimiter"), ("x\ny\n", 3, "csv.empty"),
      ("x\ny\na,\"b\n", 3, "csv.unterminated-quote"),
    ])
  func headerLine(text: String, line: UInt64, code: String) throws {
    let error = #expect(throws: SeedFormatError.self) {
      _ = try RecordReader(
        source: MemorySource(Array(text.utf8)), options: options { $0.skippedLines = 2 }, projection: ["c"], file: "f")
    }
    #expect(error?.line == line && error?.code == code)
    #expect(error?.missingColumns.first?.hint.contains("f:\(line))") ?? true)
  }

  @Test(
    "a line of its own states the delimiter",
    arguments: [
      ("sep=;\na;b\n1;2\n", ["3: 1·2"]), ("\"sep=;\"\r\na;b\r\n1;2\r\n", ["3: 1·2"]),
      ("SEP=\t\na\tb\n1\t2\n", ["3: 1·2"]),
      ("\u{FEFF}sep=||\na||b\n1||2\n", ["3: 1·2"]), ("a,b\nsep=;,2\n", ["2: sep=;·2"]),
      ("sep=,\na,b\n1,2\n", ["3: 1·2"]),
    ])
  func separatorLine(text: String, expected: [String]) {
    #expect(records(text, options { $0.honorsSeparatorLine = true }, ["a", "b"]) == expected)
  }

  @Test("where a delimiter is stated, that line is a record like others")
  func separatorLineIsData() {
    #expect(records("sep=;\nx\n", .csv, ["sep=;"]) == ["2: x"])
    #expect(records("sep=\nx\n", options { $0.honorsSeparatorLine = true }, ["sep="]) == ["2: x"])
  }

  @Test("a file of rejects has no lines to skip, and its own delimiter")
  func annotations() {
    let skips = options {
      $0.skippedLines = 3
      $0.honorsSeparatorLine = true
      $0.annotationColumns = ["file", "line"]
    }
    #expect(records("file;line;a;b\nf;1;x;y\n", skips, ["a", "b"]) == ["2: x·y"])
    #expect(records("1\n2\n3\na,b\nx,y\n", skips, ["a", "b"]) == ["5: x·y"])
  }
}
