import SeedFormats
import Testing

/// What is a record where records are objects, and what a document that is no array says.
@Suite("JSON records that are no objects")
struct JSONRecordFormTests {
  private static func options(_ format: FormatOptions, pointer: String = "") -> FormatOptions {
    var options = format
    options.requiresObjects = true
    options.expectsArray = true
    options.pointer = pointer
    return options
  }

  static let values = ["[{\"a\":1}]", "[]", "[1,2]", "5", "-1.5e3", "\"text\"", "\"\"", "null", "true", "false"]

  @Test("are faults of a line, wherever it stands", arguments: values)
  func lines(value: String) {
    let object = "{\"a\":1}"
    let text = [object, value, object, object, " \(value) ", "{}", value].joined(separator: "\n")
    let fault = ["fault json.not-an-object"]
    for blockSize in [1, 7, 4096] {
      let found = events(Array(text.utf8), Self.options(.ndjson), ["a"], blockSize: blockSize)
      #expect(found == events(Array(text.utf8), Self.options(.ndjson), ["a"]))
    }
    #expect(
      texts(text, Self.options(.ndjson), ["a"]) == [["1"], fault, ["1"], ["1"], fault, ["absent"], fault])
  }

  @Test("are faults of an element of a document's array, at the root and at a pointer", arguments: values)
  func elements(value: String) {
    let object = "{\"a\":1}"
    let list = "[\(object), \(value),\(object),\n\(object),\(value)]"
    let fault = ["fault json.not-an-object"]
    let expected = [["1"], fault, ["1"], ["1"], fault]
    #expect(texts(list, Self.options(.json), ["a"]) == expected)
    #expect(texts("{\"x\":[1],\"d\":\(list)}", Self.options(.json, pointer: "/d"), ["a"]) == expected)
  }

  @Test("are the only record of a document, and faults", arguments: values.filter { !$0.hasPrefix("[") })
  func document(value: String) {
    #expect(texts(" \(value) ", Self.options(.json), ["a"]) == [["fault json.not-an-object"]])
  }

  @Test("an array is a record where its elements are named by position")
  func positions() {
    #expect(
      texts("[1,\"b\"]\n[2]\n5\n", Self.options(.ndjson), ["/0", "/1"])
        == [["1", "b"], ["2", "absent"], ["fault json.not-an-object"]])
  }

  @Test("a reject that stood for no object stays one until it is mended")
  func unmended() {
    let reject = #"{"$reject":{"file":"x","message":"a \"}\" b"},"$record":"[1]"}"#
    let mended = #"{"$reject":{"file":"x"},"a":2,"b":{"$record":1}}"#
    #expect(
      texts([mended, reject, mended, reject].joined(separator: "\n"), Self.options(.ndjson), ["a"])
        == [["2"], ["fault json.not-an-object"], ["2"], ["fault json.not-an-object"]])
  }

  @Test(
    "a document that is an object is refused where it is not meant as the record, and names its arrays",
    arguments: [
      (#"{"stops":[{"a":1},{"a":2}],"data":{"routes":[{}],"n":1}}"#, "/stops (array of 2), /data/routes (array of 1)"),
      (#"{"a":"feed","stops":[{"a":1}]}"#, "/stops (array of 1)"),
      (#"{"tags":["x","y"],"stops":[ {"in":[1]} ]}"#, "/stops (array of 1), /tags (array of 2)"),
      (#"{"m~n":{"p/q":[{"a":[1,[2]]}, 5]},"\u0061b":[]}"#, "/m~0n/p~1q (array of 2), /ab (array of 0)"),
      (#"{"b":1}"#, "no arrays"), ("{}", "no arrays"),
    ])
  func objectDocument(text: String, says: String) throws {
    let error = try #require(failure(text, Self.options(.json), ["a"]))
    #expect(error.code == "json.not-an-array")
    #expect(error.hint?.contains(says) == true, "\(error)")
    #expect(error.line == 1)
    #expect(error.column == 1)
    var stated = Self.options(.json)
    stated.expectsArray = false
    #expect(texts(text, stated, ["a"]).count == 1)
  }

  @Test(
    "a document that is an object is the record where it has its fields",
    arguments: [#"{"a":1}"#, #"{"a":1,"tags":["x"]}"#, #"{"a":1,"list":[{"b":2}]}"#, #"{"a":1,"in":{"deep":[{}]}}"#])
  func objectRecord(text: String) {
    #expect(texts(text, Self.options(.json), ["a", "list", "/in/deep/0/x"]).first?.first == "1")
  }

  @Test("many arrays are named up to a limit")
  func manyArrays() throws {
    let text = "{" + (0..<1500).map { "\"k\($0)\":[{}]" }.joined(separator: ",") + "}"
    let hint = try #require(failure(text, Self.options(.json), ["a"])?.hint)
    #expect(hint.contains("/k9 (array of 1) and 1490 more"))
    #expect(hint.utf8.count < 500)
  }

  @Test("a document too long to be a record names the arrays in what was read of it")
  func longDocument() throws {
    var options = Self.options(.json)
    options.limits.recordBytes = 200
    let text = "{\"stops\":[" + String(repeating: "{\"a\":1},", count: 100_000) + "{}]}"
    let error = try #require(failure(text, options, ["a"]))
    #expect(error.code == "json.record-too-long")
    #expect(error.hint?.contains("/stops (array of at least ") == true, "\(error)")
    #expect(error.hint?.contains("others may follow") == true, "\(error)")
    // As a record it would be as long.
    #expect(error.hint?.contains("only record") == false, "\(error)")
  }

  @Test("a document is not said to have no arrays where they may come later or have pointers too long to list")
  func laterArrays() throws {
    var options = Self.options(.json)
    options.limits.recordBytes = 200
    let late = "{\"text\":\"" + String(repeating: "x", count: 100_000) + "\",\"stops\":[{\"a\":1}]}"
    let hint = try #require(failure(late, options, ["a"], blockSize: 64)?.hint)
    #expect(hint == "no array came in what was read of it; state the pointer to the array of records, if one follows")
    // One that is no record of its own, at a pointer, is read no further either.
    let below = "{\"data\":\(late)}"
    options.pointer = "/data"
    #expect(try #require(failure(below, options, ["a"], blockSize: 64)?.hint) == hint)
    let deep = "{\"" + String(repeating: "k", count: 300) + "\":[{\"a\":1}]}"
    let long = try #require(failure(deep, Self.options(.json), ["a"])?.hint)
    #expect(long.contains("those that came are longer than 200 bytes"))
  }

  @Test("a pointer to something else than an array names the arrays below it")
  func pointerToObject() throws {
    let text = #"{"x":[],"data":{"venues":[{}],"n":{"m":[1,2,3]}}}"#
    let error = try #require(failure(text, Self.options(.json, pointer: "/data"), ["a"]))
    #expect(error.code == "json.not-an-array")
    #expect(error.hint?.contains("/data/venues (array of 1), /data/n/m (array of 3)") == true, "\(error)")
  }

  @Test(
    "a document that is cut anywhere is malformed, and one that is read no further than anywhere names its arrays so far"
  )
  func cutAnywhere() throws {
    let text = #"{"a\"b":{"c":[{"d":"]"},[1,2]]},"e":["x\\",{}],"f":3}"#
    let found = [
      "no array came in what was read", ": /a\"b/c (array of at least 1); others may",
      ": /a\"b/c (array of 2); others may",
      ": /a\"b/c (array of 2), /e (array of 2); others may",
    ]
    var stages: [Int] = []
    for count in 0..<text.utf8.count {
      let cut = String(decoding: text.utf8.prefix(count), as: UTF8.self)
      #expect(failure(cut, Self.options(.json), ["z"])?.code == "json.malformed", "\(cut)")
      if count == 0 { continue }
      var options = Self.options(.json)
      options.limits.recordBytes = count
      let error = try #require(failure(text, options, ["z"], blockSize: 1), "\(count)")
      #expect(error.code == "json.record-too-long")
      stages.append(try #require(found.firstIndex { error.hint?.contains($0) == true }, "\(error)"))
    }
    #expect(stages == stages.sorted() && Set(stages).count == found.count, "\(stages)")
    #expect(failure(text, Self.options(.json), ["z"])?.code == "json.not-an-array")
  }
}
