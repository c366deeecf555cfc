import Foundation
import TestSupport
import Testing

@testable import SeedFormats

/// JSON in which the records are the members of an object (`keyed-by`).
@Suite("JSON: objects by key")
struct KeyedObjectTests {
  private func array(_ text: String, _ pointer: String = "", field: String = "id", blockSize: Int = 4096) -> (
    text: String, error: SeedFormatError?
  ) {
    let source = KeyedObjectSource(
      upstream: MemorySource(Array(text.utf8), blockSize: blockSize), pointer: pointer, field: field,
      recordLimit: 1 << 20, file: "x.json")
    let (bytes, error) = drain(source, atATime: 7)
    return (String(decoding: bytes, as: UTF8.self), error)
  }

  @Test(
    "members become elements, their keys the first field, and lines stay",
    arguments: [
      ("{}", "", "[]"), (#"{"a":{}}"#, "", #"[{"id":"a"}]"#), (#"{"a":{ }}"#, "", #"[{"id":"a" }]"#),
      (#"{"a":{"b":1},"c":{"d":{"e":[{}]}}}"#, "", #"[{"id":"a","b":1},{"id":"c","d":{"e":[{}]}}]"#),
      ("{\n \"a\" : {\n  \"b\": 1\n }\n}\n", "", "[\n   {\"id\":\"a\"\n  ,\"b\": 1\n }\n]\n"),
      (
        #"{"a":1,"b":"x,}","c":[1,{"d":2}],"e":null , "f":-1.5e3}"#, "",
        #"[{"id":"a","value":1},{"id":"b","value":"x,}"},{"id":"c","value":[1,{"d":2}]},{"id":"e","value":null} , {"id":"f","value":-1.5e3}]"#
      ),
      (#"{"q\"\\":{"b":"\"}"}}"#, "", #"[{"id":"q\"\\","b":"\"}"}]"#),
      (
        #"{"x":{"a":{"y":1}},"data":{"a":{}},"z":{"data":{}}}"#, "/data",
        #"{"x":{"a":{"y":1}},"data":[{"id":"a"}],"z":{"data":{}}}"#
      ),
      (
        #"{"x":["data",{"data":{}}],"d\u0061ta":{"in":{"a":{}}}}"#, "/data/in",
        #"{"x":["data",{"data":{}}],"d\u0061ta":{"in":[{"id":"a"}]}}"#
      ),
      (#"[{"a":{}},{"b":{}},[{"c":{}}]]"#, "/1", #"[{"a":{}},[{"id":"b"}],[{"c":{}}]]"#),
      (#"{"a":[1,[{"k":{}}]]}"#, "/a/1/0", #"{"a":[1,[[{"id":"k"}]]]}"#),
      ("\u{FEFF}{\"a\":{}}", "", "\u{FEFF}[{\"id\":\"a\"}]"),
      // What is no JSON comes through.
      ("{\"a\"", "", "[\"a\""), ("{\"a", "", "[\"a"), ("{\"a\":", "", "[\"a\":"), ("{\"a\" 5}", "", "[ \"a\"5}"),
      ("{a:1}", "", "[a:1}"), (#"{"a":{},}"#, "", #"[{"id":"a"},]"#), (#"{"a":{"b":1"#, "", #"[{"id":"a","b":1"#),
      (#"{"a":{}}"#, "/b", #"{"a":{}}"#), ("", "", ""),
    ])
  func members(text: String, pointer: String, expected: String) {
    for blockSize in [1, 2, 3, 4096] {
      let (found, error) = array(text, pointer, blockSize: blockSize)
      #expect(error == nil)
      #expect(found == expected, "\(blockSize)")
      #expect(found.count { $0.isNewline } == text.count { $0.isNewline })
    }
  }

  @Test(
    "what has no members is told with its line",
    arguments: [
      ("[{}]", "", UInt64(1), "remove keyed-by"), ("{\n\"a\":\n[1]}", "/a", 3, "remove keyed-by"),
      ("{\"a\":\n\"b\"}", "/a", 2, "state the pointer"), ("5", "", 1, "state the pointer"),
    ])
  func others(text: String, pointer: String, line: UInt64, hint: String) {
    let error = array(text, pointer).error
    #expect(error?.code == "json.not-keyed" && error?.line == line && error?.hint?.contains(hint) == true)
  }

  @Test("names of fields are escaped")
  func names() { #expect(array(#"{"a":{}}"#, field: "i\"d\n").text == "[{\"i\\\"d\\u000a\":\"a\"}]") }

  @Test("random documents give what their members say", arguments: UInt64(1)...40)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func value(_ depth: Int) -> Any {
      switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
      case 0: Int.random(in: -99...99, using: &random)
      case 1: ["", "}", "{\"", "\\", "],[", "é\n"][Int.random(in: 0..<6, using: &random)]
      case 2: NSNull()
      case 3: Bool.random(using: &random)
      case 4: (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth + 1) }
      default: object(depth + 1)
      }
    }
    func object(_ depth: Int) -> [String: Any] {
      Dictionary(
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
          (["a", "b\"", "{c", "d\\", "è"][Int.random(in: 0..<5, using: &random)], value(depth))
        }, uniquingKeysWith: { $1 })
    }
    let members = object(1)
    let pointer = ["", "/data", "/data/1"][Int(seed % 3)]
    let document: Any =
      pointer.isEmpty
      ? members : ["other": value(1), "data": pointer == "/data" ? members : [value(1), members, value(1)]]
    let options: JSONSerialization.WritingOptions = seed % 2 == 0 ? [.prettyPrinted] : []
    let text = String(decoding: try JSONSerialization.data(withJSONObject: document, options: options), as: UTF8.self)
    let (found, error) = array(text, pointer, field: "key of it", blockSize: [1, 7, 4096][Int(seed % 3)])
    #expect(error == nil)
    var root = try JSONSerialization.jsonObject(with: Data(found.utf8), options: .fragmentsAllowed)
    if !pointer.isEmpty { root = try #require((root as? [String: Any])?["data"]) }
    if pointer == "/data/1" { root = try #require((root as? [Any])?[1]) }
    var records: [String: NSObject] = [:]
    for record in try #require(root as? [[String: Any]]) {
      var rest = record
      let key = try #require(rest.removeValue(forKey: "key of it") as? String)
      let isObject = members[key] is [String: Any]
      records[key] = (isObject ? rest as NSDictionary : rest["value"] as? NSObject)
    }
    #expect(records as NSDictionary == members as NSDictionary)
  }
}
