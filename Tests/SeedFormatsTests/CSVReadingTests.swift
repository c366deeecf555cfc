import SeedFormats
import Testing

@Suite("Reading CSV")
struct CSVReadingTests {
  @Test(
    "fields are read as RFC 4180 has them",
    arguments: [
      ("a,b\n1,2\n", [["1", "2"]]),
      ("a,b\r\n1,2\r\n", [["1", "2"]]),
      ("a,b\r1,2\r", [["1", "2"]]),
      ("a,b\n1,2", [["1", "2"]]),
      ("a,b\n\"x,y\",\"p \"\"q\"\"\"\n", [["x,y", "p \"q\""]]),
      ("a,b\n\"x\ny\r\nz\",\n", [["x\ny\r\nz", ""]]),
      ("a,b\n,\n", [["", ""]]),
      ("a,b\n5\" pipe,\"\"\n", [["5\" pipe", ""]]),
      ("a,b\n\n1,2\n\r\n3,4\n", [["1", "2"], ["3", "4"]]),
      ("\u{FEFF}a,b\n1,2\n", [["1", "2"]]),
      ("\"a\",\"b\"\n1,2\n", [["1", "2"]]),
      ("a,b\n", []),
      ("a,b", []),
    ])
  func fields(text: String, expected: [[String]]) {
    #expect(texts(text, .csv, ["a", "b"]) == expected)
  }

  @Test(
    "a bad record is a fault and the rest goes on",
    arguments: [
      ("a,b\n1\n3,4\n", "csv.ragged"), ("a,b\n1,2,3\n3,4\n", "csv.ragged"),
      ("a,b\n\"1\"x,2\n3,4\n", "csv.text-after-quote"), ("a,b\n1,\u{0}\n3,4\n", "text.nul"),
    ])
  func faults(text: String, code: String) {
    #expect(texts(text, .csv, ["a", "b"]) == [["fault \(code)"], ["3", "4"]])
  }

  @Test("invalid UTF-8 is a fault of its record only")
  func invalidUTF8() {
    let found = events(Array("a,b\n1,".utf8) + [0xFF, 0x0A] + Array("3,4\n".utf8), .csv, ["b"])
    #expect(
      found == [
        .fault("text.invalid-utf8", line: 2, byteOffset: 4, raw: [0x31, 0x2C, 0xFF]),
        .record([.text("4")], line: 3, byteOffset: 8, raw: Array("3,4".utf8)),
      ])
  }

  @Test("a blank line is a record where there is only one column")
  func blankLines() {
    #expect(texts("a\n1\n\n2\n", .csv, ["a"]) == [["1"], [""], ["2"]])
    var options = FormatOptions.csv
    options.hasHeader = false
    #expect(texts("\n1\n", options, ["#1"]) == [[""], ["1"]])
  }

  @Test("an open quote fails at the line where it opened, after the records before it")
  func openQuote() throws {
    let text = "a,b\n1,2\n3,\"x\ny\nz"
    #expect(texts(text, .csv, ["a"]) == [["1"], ["failure csv.unterminated-quote"]])
    let error = try #require(failure(text, .csv))
    #expect(error.line == 3)
    #expect(error.column == 3)
    #expect(error.byteOffset == 10)
    #expect(error.kind.exitCode == 65)
  }

  @Test("a ragged record tells both counts")
  func raggedCounts() throws {
    let reader = try RecordReader(
      source: MemorySource(Array("a,b,c\n1,2\n".utf8)), options: .csv, projection: ["a"])
    let batch = RecordBatch(fieldCount: 1)
    #expect(try reader.next(batch))
    #expect(batch.faults.first?.message == "the record has 2 fields, expected 3")
    #expect(try !reader.next(batch))
  }

  @Test(
    "an escape byte acts before a quote and before itself, inside quotes, and is data elsewhere",
    arguments: [
      (#""x\"y",p\q"#, #"x"y|p\q"#), (#""C:\temp\new",\"#, #"C:\temp\new|\"#), (#""a\\",b\\"#, #"a\|b\\"#),
      (#""\\\"",\N"#, #"\"|\N"#), (#""\n",\""#, #"\n|\""#), (#""a,\"",x"#, #"a,"|x"#), (#""\'","\,""#, #"\'|\,"#),
    ])
  func escapes(record: String, expected: String) {
    var options = FormatOptions.csv
    options.escape = 0x5C
    for end in ["", "\n", "\r\n"] {
      #expect(texts("a,b\n" + record + end, options, ["a", "b"]).map { $0.joined(separator: "|") } == [expected])
    }
  }

  @Test("a backslash before a line end or a delimiter keeps neither from ending what it ends")
  func escapesOutsideQuotes() {
    var options = FormatOptions.csv
    options.escape = 0x5C
    #expect(
      texts("a,b\nx\\,y\\\nz,\\\r\n\"1\\\n2\",3", options, ["a", "b"]) == [
        ["x\\", "y\\"], ["z", "\\"], ["1\\\n2", "3"],
      ])
    #expect(texts("a\n\"x\\\"\n", options, ["a"]) == [["failure csv.unterminated-quote"]])
  }

  @Test(
    "names in the header that others stand in for may be repeated, empty, or missing altogether",
    arguments: ["a,a\n", ",\n", "\"\",\n", "\n", "\r\n", "\r", "\u{FEFF}\n", "\u{FEFF},\r\n"])
  func replacedHeader(header: String) {
    var options = FormatOptions.csv
    options.columns = ["x", "y"]
    #expect(texts(header + "1,2\n3,4", options, ["y", "x"]) == [["2", "1"], ["4", "3"]])
    #expect(events(Array((header + "1,2").utf8), options, ["y"], blockSize: 1).count == 1)
  }

  @Test("an empty first line is the header of one column where its name is given, and the lines after it are records")
  func replacedHeaderOfOneColumn() {
    var options = FormatOptions.csv
    options.columns = ["x"]
    #expect(texts("\n\n1\n", options, ["x"]) == [[""], ["1"]])
    #expect(failure("a,b\n1,2\n", options)?.code == "csv.column-count")
  }

  @Test(
    "more columns than a record has places for are refused: in the header, in the first record, and by name",
    arguments: ["1\n", "\"1\"\n", "x\"y\n1\n"])
  func tooManyColumns(ending: String) {
    let record = { (count: Int) in String(repeating: "1,", count: count - 1) + ending }
    let most = 65_536
    var options = FormatOptions.csv
    #expect(failure(record(most + 1), options)?.code == "csv.too-many-columns")
    options.hasHeader = false
    #expect(failure(record(70_000) + record(3) + record(140_000), options)?.code == "csv.too-many-columns")
    // The widest that is read, beside records that are wider and narrower.
    let wide = texts(record(most) + record(most + 9) + record(2) + record(most), options, ["#1", "#\(most - 1)"])
    #expect(wide.filter { $0 == ["1", "1"] }.count == 2 && wide.count >= 4)
    options.columns = (0...most).map { "c\($0)" }
    #expect(failure("1,2\n", options)?.code == "csv.too-many-columns")
  }

  @Test("without a quote character quotes are data")
  func noQuote() {
    var options = FormatOptions.tsv
    options.quote = nil
    #expect(texts("a\tb\n\"1\t2\"\n", options, ["a", "b"]) == [["\"1", "2\""]])
  }

  @Test("records that start with the comment byte are skipped, before the header too")
  func comments() {
    var options = FormatOptions.csv
    options.comment = 0x23
    #expect(texts("# \"x\na,b\n#1,2\n3,#4\n#", options, ["a", "b"]) == [["3", "#4"]])
  }

  @Test("positions, the whole record and repeated names can be projected")
  func projection() {
    #expect(texts("a,b\n1,2\n", .csv, ["#2", "", "a", "a"]) == [["2", "1,2", "1", "1"]])
    #expect(texts("#2,b\n1,2\n", .csv, ["#2", "#1"]) == [["1", "1"]])
    var options = FormatOptions.csv
    options.hasHeader = false
    #expect(texts("1,2\n", options, ["#2"]) == [["2"]])
    options.columns = ["x", "y"]
    #expect(texts("1,2\n", options, ["y"]) == [["2"]])
    options.hasHeader = true
    #expect(texts("a,b\n1,2\n", options, ["y"]) == [["2"]])
  }

  @Test("a record longer than the limit fails, however it is split", arguments: [1, 7, 4096])
  func recordLimit(blockSize: Int) {
    var options = FormatOptions.csv
    options.limits.recordBytes = 10
    let bytes = Array("a\n1234567890\n\"12345678901\n".utf8)
    let found = events(bytes, options, ["a"], blockSize: blockSize)
    #expect(found.count == 2)
    #expect(found.last == .failure("csv.record-too-long"))
  }
}

@Suite("CSV headers")
struct CSVHeaderTests {
  @Test("a name that stands twice is refused with both columns")
  func duplicate() throws {
    let error = try #require(failure("a,é,b,é\n", .csv))
    #expect(error.code == "csv.duplicate-column")
    #expect(error.message.contains("columns 2 and 4"))
    #expect(error.line == 1)
    #expect(error.column == 7)
    #expect(error.file == "seed")
  }

  @Test("an unknown column is refused with the names there are and the nearest one")
  func unknown() throws {
    let error = try #require(failure("stop_id,stop_name\n", .csv, ["stop_nam"]))
    #expect(error.code == "csv.unknown-column")
    #expect(error.hint == "did you mean \"stop_name\"? available: \"stop_id\", \"stop_name\"")
  }

  @Test("spaces in a name of the header are told")
  func spaces() {
    #expect(failure("k, v\n", .csv, ["v"])?.hint?.hasPrefix("did you mean \" v\"?") == true)
  }

  @Test("columns without names are left out where all are to be named")
  func unnamed() {
    #expect(failure("k,null,,\n", .csv)?.hint == "name all columns anew: columns: [k, \"null\", null, null]")
    #expect(failure("-,a\\b,c,c\n", .csv)?.hint == #"name all columns anew: columns: ["-", "a\\b", c, c 2]"#)
  }

  @Test("a column's name must match exactly", arguments: ["A", "a ", "#3", "#0"])
  func exact(name: String) {
    #expect(failure("a,b\n", .csv, [name])?.code == "csv.unknown-column")
  }

  @Test("an empty file has no header", arguments: ["", "\n\r\n", "\u{FEFF}"])
  func empty(text: String) {
    #expect(failure(text, .csv)?.code == "csv.empty")
  }

  @Test("an empty file without a header has no records")
  func emptyWithoutHeader() {
    var options = FormatOptions.csv
    options.hasHeader = false
    #expect(failure("", options, ["#2"]) == nil)
  }

  @Test("options that contradict each other are refused")
  func options() {
    var options = FormatOptions.csv
    options.delimiter = 0x22
    #expect(failure("a\n", options)?.code == "format.options")
    options.delimiter = 0x0A
    #expect(failure("a\n", options)?.code == "format.options")
  }
}
