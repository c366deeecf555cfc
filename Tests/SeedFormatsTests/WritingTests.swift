import Foundation
import SeedFormats
import TestSupport
import Testing

@Suite("Writing")
struct WritingTests {
  @Test("CSV quotes what needs quotes and nothing else")
  func csv() throws {
    let sink = MemorySink()
    let writer = CSVWriter(sink: sink)
    for text in ["plain", "a,b", "q\"q", "l\nm", "", " x "] { writer.field(text) }
    writer.field(Int64.min)
    writer.field(Int64(0))
    writer.field(0.1)
    writer.field(1e300)
    writer.emptyField()
    try writer.endRecord()
    writer.field("")
    try writer.endRecord()
    try writer.finish()
    #expect(
      sink.text == "plain,\"a,b\",\"q\"\"q\",\"l\nm\",\"\", x ,-9223372036854775808,0,0.1,1e+300,\n\"\"\n")
    #expect(sink.isFinished)
  }

  @Test("an empty text is told from a field without a value, also in one column", arguments: [1, 2, 3])
  func emptyTexts(width: Int) throws {
    var random = SeededGenerator(seed: UInt64(width))
    let records = (0..<200).map { _ in (0..<width).map { _ in [nil, "", "x"].randomElement(using: &random) ?? nil } }
    let sink = MemorySink()
    let writer = CSVWriter(sink: sink)
    let names = (0..<width).map { "c\($0)" }
    try writer.record(names)
    for record in records {
      for text in record { if let text { writer.field(text) } else { writer.emptyField() } }
      try writer.endRecord()
    }
    try writer.finish()
    let read = events(sink.bytes, .csv, names).map { event -> [String?] in
      guard case .record(let fields, _, _, _) = event else { return ["\(event)"] }
      return fields.map { $0.bytes.isEmpty && !$0.isQuoted ? nil : String(decoding: $0.bytes, as: UTF8.self) }
    }
    #expect(read == records)
  }

  @Test("line ends and delimiters can be chosen")
  func options() throws {
    let sink = MemorySink()
    var options = CSVWriter.Options()
    options.delimiter = 0x09
    options.endsLinesWithCRLF = true
    let writer = CSVWriter(sink: sink, options: options)
    try writer.record(["a,b", "c\td"])
    try writer.finish()
    #expect(sink.text == "a,b\t\"c\td\"\r\n")
  }

  @Test(
    "cells that look like formulas get an apostrophe, plain numbers do not",
    arguments: [
      ("=1+1", "'=1+1"), ("+49 30", "'+49 30"), ("-1.5e3", "-1.5e3"), ("-", "'-"), ("@x", "'@x"), ("-1-1", "'-1-1"),
      ("+7", "+7"), ("=a,b", "\"'=a,b\""), ("1=", "1="), ("\tx", "'\tx"), ("\rx", "\"'\rx\""),
    ])
  func spreadsheets(text: String, expected: String) throws {
    let sink = MemorySink()
    var options = CSVWriter.Options()
    options.safeForSpreadsheets = true
    let writer = CSVWriter(sink: sink, options: options)
    try writer.record([text])
    try writer.finish()
    #expect(sink.text == expected + "\n")
  }

  @Test("the apostrophe before a formula stands in quotes where it is the delimiter")
  func apostropheAsDelimiter() throws {
    let sink = MemorySink()
    var options = CSVWriter.Options()
    options.safeForSpreadsheets = true
    options.delimiter = 0x27
    let writer = CSVWriter(sink: sink, options: options)
    try writer.record(["=1", "x"])
    try writer.finish()
    #expect(sink.text == "\"'=1\"'x\n")
  }

  @Test("what is written is read back the same", arguments: 0..<50)
  func roundTrip(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pieces = ["a", ",", "\"", "\n", "\r", "é", "😀", " ", "\\", "\t", "\u{1F}"]
    let rows = (0..<20).map { _ in
      (0..<3).map { _ in
        (0..<Int.random(in: 0...6, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)]
        }
        .joined()
      }
    }
    let csv = MemorySink()
    let csvWriter = CSVWriter(sink: csv)
    let json = MemorySink()
    let jsonWriter = NDJSONWriter(sink: json)
    try csvWriter.record(["x", "y", "z"])
    for row in rows {
      try csvWriter.record(row)
      jsonWriter.beginObject()
      for (key, text) in zip(["x", "y", "z"], row) {
        jsonWriter.key(key)
        jsonWriter.string(text)
      }
      jsonWriter.endObject()
      try jsonWriter.endRecord()
    }
    try csvWriter.finish()
    try jsonWriter.finish()
    #expect(texts(csv.text, .csv, ["x", "y", "z"]) == rows)
    #expect(texts(json.text, .ndjson, ["x", "y", "z"]) == rows)
  }

  @Test("NDJSON puts the commas and writes every kind of value")
  func ndjson() throws {
    let sink = MemorySink()
    let writer = NDJSONWriter(sink: sink)
    for _ in 0..<2 {
      writer.beginObject()
      writer.key("a\"")
      writer.beginArray()
      writer.number(Int64(-7))
      try writer.number(2.5)
      writer.bool(true)
      writer.bool(false)
      writer.null()
      writer.beginObject()
      writer.endObject()
      writer.endArray()
      writer.key("raw")
      unsafe Array("{\"x\":1}".utf8).withUnsafeBytes { unsafe writer.raw($0) }
      writer.key("s")
      writer.string("\u{0}\n\u{1F}é")
      writer.endObject()
      try writer.endRecord()
    }
    #expect(throws: SeedFormatError.self) { try writer.number(.nan) }
    try writer.finish()
    let line = #"{"a\"":[-7,2.5,true,false,null,{}],"raw":{"x":1},"s":"\u0000\n\u001fé"}"# + "\n"
    #expect(sink.text == line + line)
  }

  @Test("gzip output is the same every time, with no time and no name in it")
  func deterministicGzip() throws {
    let member = try gzip(Array("text".utf8))
    #expect(Array(member[..<10]) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    #expect(try gzip(Array("text".utf8)) == member)
  }

  @Test("a file that cannot be created or written is an error")
  func failures() throws {
    try withDirectory { directory in
      let path = directory.appendingPathComponent("no/such/file.csv").path
      let error = #expect(throws: SeedFormatError.self) { try FileSink(path: path) }
      #expect(error?.kind.exitCode == 73)
    }
  }

  @Test(
    "a full disk is an error",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func fullDisk() throws {
    let writer = CSVWriter(sink: try FileSink(path: "/dev/full"))
    try writer.record(["a"])
    let error = #expect(throws: SeedFormatError.self) { try writer.finish() }
    #expect(error?.code == "file.write")
  }
}
