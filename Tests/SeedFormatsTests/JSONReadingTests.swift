import SeedFormats
import Testing

@Suite("Reading JSON")
struct JSONReadingTests {
  @Test("keys, dotted paths and pointers find their values")
  func projection() {
    let record = #"{"a":{"b":[10,{"c":"x"}]},"a.b":"exact","m~n":{"p/q":1},"":2}"#
    let paths = ["a.b", "a.b.1.c", "/a/b/0", "/m~0n/p~1q", "/", "missing", "a.b.7"]
    #expect(texts(record, .ndjson, paths) == [["exact", "x", "10", "1", "2", "absent", "absent"]])
  }

  @Test("null, true, false, numbers and nested values keep their kinds")
  func kinds() throws {
    let record = #"{"n":null,"t":true,"f":false,"d":1.50,"o":{"x": 1},"a":[1 ,2],"s":"q\"","p":"plain"}"#
    let found = events(Array(record.utf8), .ndjson, ["n", "t", "f", "d", "o", "a", "s", "p", "z"])
    guard case .record(let fields, _, _, _) = try #require(found.first) else {
      Issue.record("\(found)")
      return
    }
    #expect(fields.map(\.kind) == [.null, .true, .false, .number, .object, .array, .string, .string, .absent])
    #expect(
      fields.map { String(decoding: $0.bytes, as: UTF8.self) }[3...] == [
        "1.50", "{\"x\": 1}", "[1 ,2]", "q\"", "plain", "",
      ])
    #expect(fields[6].isQuoted)
    #expect(!fields[7].isQuoted)
  }

  @Test("a malformed line is a fault and the rest goes on")
  func malformedLine() {
    let text = "{\"a\":1}\n{\"a\":}\n\n[]\n {\"a\":2}\r\n{} {}\n{\"a\":3}"
    #expect(
      texts(text, .ndjson, ["a"]) == [
        ["1"], ["fault json.malformed"], ["absent"], ["2"], ["fault json.malformed"], ["3"],
      ])
  }

  @Test(
    "flawed strings and keys are faults of their record",
    arguments: [
      (#"{"a":"\ud800"}"#, "json.lone-surrogate"), (#"{"a":1,"a":2}"#, "json.duplicate-key"),
      (#"{"a":1,"\u0061":2}"#, "json.duplicate-key"), ("{\"a\":\"\u{0}\"}", "text.nul"),
    ])
  func flaws(record: String, code: String) {
    #expect(texts(record + "\n{\"a\":5}", .ndjson, ["a"]) == [["fault \(code)"], ["5"]])
    #expect(texts("[" + record + ",{\"a\":5}]", .json, ["a"]) == [["fault \(code)"], ["5"]])
  }

  @Test("a key twice is no matter where it is not projected")
  func unprojectedDuplicate() {
    #expect(texts(#"{"a":1,"b":2,"b":3}"#, .ndjson, ["a"]) == [["1"]])
  }

  @Test(
    "the array of records is found at a pointer and the rest is validated",
    arguments: [
      (#"{"x":[1,{"y":"]"}],"data":{"items":[{"a":1},{"a":2}],"k":[]},"z":null}"#, [["1"], ["2"]]),
      (#"{"data":{"items":[]}}"#, []),
      (#"{"data":{"items":[{"a":1}]},"z":nul}"#, [["1"], ["failure json.malformed"]]),
      (#"{"data":{"items":[{"a":1}]}} x"#, [["1"], ["failure json.malformed"]]),
      (#"{"data":{"items":[{"a":1}]},"data":{}}"#, [["1"], ["failure json.duplicate-key"]]),
      (#"{"data":{"items":{}}}"#, [["failure json.not-an-array"]]),
      (#"{"data":{"item":[]}}"#, [["failure json.pointer-not-found"]]),
      (#"{"data":7}"#, [["failure json.pointer-not-found"]]),
      (#"{"data":{"items":[{"a":1}"#, [["1"], ["failure json.malformed"]]),
    ])
  func pointer(text: String, expected: [[String]]) {
    var options = FormatOptions.json
    options.pointer = "/data/items"
    for blockSize in [1, 3, 8, 4096] {
      let found = events(Array(text.utf8), options, ["a"], blockSize: blockSize)
      #expect(found == events(Array(text.utf8), options, ["a"]))
    }
    #expect(texts(text, options, ["a"]) == expected)
  }

  @Test("a pointer may pass through arrays")
  func pointerThroughArray() {
    var options = FormatOptions.json
    options.pointer = "/1/0"
    #expect(texts(#"[[],[[{"a":1}],2],3]"#, options, ["a"]) == [["1"]])
  }

  @Test("a root that is no array is one record")
  func singleRecord() {
    #expect(texts(#" {"a":1} "#, .json, ["a", ""]) == [["1", #"{"a":1}"#]])
    #expect(texts("42", .json, [""]) == [["42"]])
    #expect(texts("42 43", .json, [""]) == [["42"], ["failure json.malformed"]])
    #expect(texts("", .json, [""]) == [["failure json.malformed"]])
  }

  @Test("a malformed document fails at its place, after the records before it")
  func malformedDocument() throws {
    let text = "[{\"a\":1},\n {\"a\":\"é\", oops}]"
    #expect(texts(text, .json, ["a"]) == [["1"], ["failure json.malformed"]])
    let error = try #require(failure(text, .json))
    #expect(error.line == 2)
    #expect(error.column == 12)
  }

  @Test("nesting beyond the limit is refused, up to it accepted")
  func depth() {
    var options = FormatOptions.json
    options.limits.nestingDepth = 100
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(failure(nested(100), options) == nil)
    #expect(failure(nested(101), options)?.code == "json.too-deep")
    options.format = .ndjson
    #expect(texts(nested(100), options, []) == [[]])
    #expect(texts(nested(101), options, []) == [["fault json.too-deep"]])
  }

  @Test("a value that is skipped may be longer than the record limit")
  func skippedValue() {
    var options = FormatOptions.json
    options.pointer = "/items"
    options.limits.recordBytes = 64
    let long = String(repeating: "[1,\"two\",{\"three\":3}],", count: 500)
    let text = "{\"big\":[\(long)0],\"items\":[{\"a\":1}],\"more\":[\(long)0]}"
    #expect(events(Array(text.utf8), options, ["a"], blockSize: 16).count == 1)
    #expect(texts(text, options, ["a"]) == [["1"]])
  }

  @Test("a bad pointer is refused", arguments: ["items", "/a~2", "/a~"])
  func badPointer(pointer: String) {
    var options = FormatOptions.json
    options.pointer = pointer
    #expect(failure("[]", options)?.code == "json.pointer-syntax")
  }
}

@Suite("Nested JSON")
struct JSONFieldsTests {
  @Test("objects in arrays in records are projected with slices of the same batch")
  func nested() throws {
    let text = #"{"list":[{"n":"a\nb","in":{"x":[1,"é\u00e9"]}},{"n":"c"},"s\\t",null]}"#
    let reader = try RecordReader(source: MemorySource(Array(text.utf8)), options: .ndjson, projection: ["list"])
    let batch = RecordBatch(fieldCount: 1)
    #expect(try reader.next(batch))
    let place = batch.place(ofRecord: 0)
    var elements: [FieldSlice] = []
    let fields = try JSONFields(projection: ["n", "in.x", "none"])
    try fields.elements(of: batch.field(0, ofRecord: 0), in: batch, into: &elements)
    #expect(elements.map(\.kind) == [.object, .object, .string, .null])
    #expect(batch.text(of: elements[2]) == "s\\t")
    var slices = [FieldSlice](repeating: .absent, count: 3)
    try unsafe slices.withUnsafeMutableBufferPointer { slices throws(SeedFormatError) in
      try unsafe fields.project(elements[0], in: batch, into: slices)
    }
    #expect(batch.text(of: slices[0]) == "a\nb")
    #expect(slices[1].kind == .array)
    #expect(slices[2].kind == .absent)
    let start = Int(place.rawOffset + slices[1].rawOffset)
    #expect(unsafe Array(batch.bytes[start..<start + 2]) == Array("[1".utf8))
    try fields.elements(of: slices[1], in: batch, into: &elements)
    #expect(elements.map { batch.text(of: $0) } == ["1", "éé"])
  }

  @Test(
    "text that is not what was asked for is an error",
    arguments: [
      ("{}", "json.not-an-array"), ("[1,]", "json.malformed"), ("[1] 2", "json.malformed"), ("", "json.not-an-array"),
    ])
  func mistakes(text: String, code: String) throws {
    var options = FormatOptions.csv
    options.quote = nil
    options.delimiter = 0x7C
    let reader = try RecordReader(source: MemorySource(Array("a\n\(text)\n".utf8)), options: options, projection: ["a"])
    let batch = RecordBatch(fieldCount: 1)
    #expect(try reader.next(batch))
    var elements: [FieldSlice] = []
    let error = #expect(throws: SeedFormatError.self) {
      try JSONFields(projection: []).elements(of: batch.field(0, ofRecord: 0), in: batch, into: &elements)
    }
    #expect(error?.code == code)
  }
}
