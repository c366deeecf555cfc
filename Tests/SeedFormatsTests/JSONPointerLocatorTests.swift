import Foundation
import SeedFormats
import Testing

@Suite("JSON Pointers of places")
struct JSONPointerLocatorTests {
  @Test(
    "the pointer leads to the value at an offset",
    arguments: [
      (#"{"a":1,"b":{"c":[10,{"d":"x,]}"}]}}"#, "10", "/b/c/0"),
      (#"{"a":1,"b":{"c":[10,{"d":"x,]}"}]}}"#, #""x,"#, "/b/c/1/d"),
      (#"{"a":1,"b":{"c":[10,{"d":"x,]}"}]}}"#, #"{"d""#, "/b/c/1"),
      (#"{"a":1,"b":{"c":[10,{"d":"x,]}"}]}}"#, "1,", "/a"),
      (#"{ "a" : { } , "x/y~z" : [ [] , [ 7 ] ] }"#, "7", "/x~1y~0z/1/0"),
      (#"["a\"b","c"]"#, #""c""#, "/1"),
      (#"{"a":1}"#, "{", ""),
    ])
  func pointers(json: String, value: String, expected: String) throws {
    let offset = try #require(json.range(of: value)).lowerBound.utf16Offset(in: json)
    var locator = JSONPointerLocator()
    let found = unsafe Array(json.utf8).withUnsafeBytes { unsafe locator.pointer(to: offset, in: $0) }
    #expect(found == expected)
  }

  @Test("a locator that goes on finds what a new one does, forwards and back")
  func goingOn() {
    let json = Array(#"{"a":[1,"x]",{"b/c":[true,{}]}],"d":{"e":"f","g":[[],[7]]},"h":null}"#.utf8)
    var locator = JSONPointerLocator()
    for offset in Array(json.indices) + [3, 9, 9, 2, json.count + 5, 40] {
      var new = JSONPointerLocator()
      let (next, first) = unsafe json.withUnsafeBytes { bytes in
        unsafe (locator.pointer(to: offset, in: bytes), new.pointer(to: offset, in: bytes))
      }
      #expect(next == first, "\(offset)")
    }
  }
}
