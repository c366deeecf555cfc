import SeedFormats
import Testing

@testable import Inference

@Suite("How a text of columns is written")
struct DialectTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var text: String
    var delimiter: Character = ","
    var rest = ""
    var quote: Character? = "\""
    var escape: Character?
    var comment: Character?
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    .init(name: "commas", text: "a,b,c\n1,2,3\n4,5,6\n"),
    .init(name: "semicolons with decimal commas", text: "a;b;c\n1,5;2,5;3\n1,0;2,2;4\n", delimiter: ";"),
    .init(name: "tabs under a name for commas", text: "a\tb\n1\t2, or 3\n4\t5\n", delimiter: "\t"),
    .init(name: "bars", text: "a|b|c\nx|y|z, and more\n1|2|3\n", delimiter: "|"),
    .init(name: "double bars", text: "id||name\n1||x\n2||y, and|more\n3||\n", delimiter: "|", rest: "|"),
    .init(name: "bars around an empty column", text: "id||name\n1||x\n2|w|y\n", delimiter: "|"),
    .init(name: "bars around a column that is always empty", text: "id|a||b\n1|x||y\n2|z||w\n3|q||p\n", delimiter: "|"),
    .init(name: "double colons", text: "1::A (1995)::x|y\n2::B: b, c::z\n3::C::x\n", delimiter: ":", rest: ":"),
    .init(name: "colons in one column", text: "name\nstd::list\nstd::map\nmain\n"),
    .init(name: "bars between tildes", text: "a~|~b\n1~|~x\n2~|~y\n", delimiter: "~", rest: "|~"),
    .init(name: "one column of words", text: "name\nAnn\nBob\n"),
    .init(name: "one column of sentences", text: "text\nHello, world\nOne\nTwo, three, four\n", delimiter: "\t"),
    .init(name: "line ends and delimiters in quotes", text: "a,b\n\"1;2;3\",\"x\ny\"\n\"4;5;6\",\"z\"\n"),
    .init(name: "backslashes before quotes", text: "a,b\n\"x \\\"y\\\", z\",1\n\"p\",2\n", escape: "\\"),
    .init(name: "apostrophes around fields", text: "a,b\n'x, y',1\n'z, w',2\n", quote: "'"),
    .init(name: "apostrophes inside words", text: "a,b\nit's,1\ndon't,2\n"),
    .init(name: "inches", text: "size\tname\n5\"\tx\n\"7\" wide\ty\n\"9\" high\tz\n", delimiter: "\t", quote: nil),
    .init(name: "a comment in front", text: "# made by hand\na,b\n1,2\n3,4\n", comment: "#"),
    .init(name: "a header that begins with a sharp", text: "#,name\n1,x\n2,y\n"),
    .init(name: "CRLF", text: "a;b\r\n1;2\r\n3;4\r\n", delimiter: ";"),
    .init(name: "CR alone", text: "a;b\r1;2\r3;4\r", delimiter: ";"),
    .init(name: "a few ragged records", text: "a,b\n" + String(repeating: "1,2\n", count: 30) + "1,2,3\n"),
    .init(name: "no records", text: "a,b,c\n"),
    .init(name: "nothing", text: ""),
  ]

  @Test("each text is told right", arguments: cases)
  func sniffs(_ example: Case) {
    let sniffer = DialectSniffer(head: Array(example.text.utf8), isWhole: true)
    let dialect = sniffer.dialect(named: UInt8(ascii: ",")).dialect
    #expect(Character(UnicodeScalar(dialect.delimiter)) == example.delimiter)
    #expect(String(decoding: dialect.delimiterRest, as: UTF8.self) == example.rest)
    #expect(dialect.quote.map { Character(UnicodeScalar($0)) } == example.quote)
    #expect(dialect.escape.map { Character(UnicodeScalar($0)) } == example.escape)
    #expect(dialect.comment.map { Character(UnicodeScalar($0)) } == example.comment)
  }

  @Test("a head that ends inside a record is told by what is whole")
  func cutHead() {
    let text = "a;b\n" + String(repeating: "1;\"x\"\n", count: 50) + "2;\"unfinis"
    let dialect = DialectSniffer(head: Array(text.utf8), isWhole: false).dialect(named: UInt8(ascii: ",")).dialect
    #expect(dialect == .init(delimiter: UInt8(ascii: ";")))
  }

  @Test(
    "a first line is a header unless it has values",
    arguments: [
      ("id,name|1,x|2,y", true), ("1,x|2,y|3,z", false), ("name,city|Ann,Rome|Bob,Oslo", true),
      ("Ann,Rome|Bob,Oslo|Ann,Oslo", false), ("country,2000,2001,2002|A,1,2,3|B,4,5,6", true),
      ("country,2000 ,2001 |A,: ,4.5 b|B,1.0 ,: ", true),
      ("150,4,setosa,versicolor,virginica|5.1,3.5,1.4,0.2,0|4.9,3.0,1.4,0.2,0", true),
      ("2024-01-01,5|2024-01-02,6", false), ("a|1", true), ("NA,x|1,y|2,y", true), ("NA,x,7|1,y,8|2,x,9", false),
      ("1|2", false),
      ("a,b", true), ("1,2", false), (",name|0,x|1,y", true), ("x,x|a,b|c,d", true),
      ("6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11,x|6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B12,y", false),
    ])
  func header(text: String, expected: Bool) {
    let records = text.split(separator: "|").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    #expect(HeaderSniffer.hasHeader(records).answer == expected)
  }

  @Test(
    "a code above codes may be a record",
    arguments: [
      ("NA,Namibia|DE,Germany|FR,France|NO,Norway", true), ("code,name|DE,Germany|FR,France|NO,Norway", false),
      ("NA,Namibia|DE,Germany", false), ("NA,Namibia|DEU,Germany|FR,France|NO,Norway", false),
    ])
  func codes(text: String, expected: Bool) {
    let records = text.split(separator: "|").map { $0.split(separator: ",").map(String.init) }
    #expect(HeaderSniffer.mayBeRecord(records) == expected)
  }

  @Test(
    "a first line of texts that nothing speaks for is told",
    arguments: [
      ("Alpha,red|Beta,blue|Gamma,green", true), ("Ann,Rome|Bob,Oslo", true), ("name,city|Ann,Rome|Bob,Oslo", false),
      ("Nom;Ville|Ann;Rome|Bob;Oslo", false), ("made_by,x|Ann,y|Bob,z", false), ("firma,x|Siemens,y|Bosch,z", false),
      ("Who,How|Ann,a@b.c|Bob,d@e.f", false), ("Word,x|A1,y|B2,z", false),
      ("Where|a|b|a|b|a|b|a|b", false), ("a,b", false), ("Zürich,Käse|Bern,Brot", true),
    ])
  func signs(text: String, expected: Bool) {
    let records = text.split(separator: "|").map { $0.split { ",;".contains($0) }.map(String.init) }
    #expect(HeaderSigns.areMissing(in: records) == expected)
  }

  @Test(
    "comments below the first record are counted, by what no quotes enclose",
    arguments: [
      ("# a\n#b\nid,n\n1,a\n# c\n2,#b\n#d", 2, 5), ("id,n\n1,a\n", 0, 0), ("#a\r\nid\r\n#1\r\n", 1, 3),
      ("id,n\n1,\"x\n#y\"\n2,z\n", 0, 0), ("\n\n#a\nid\n\n#\"b\n1\n#c\n", 2, 6), ("#a\rid\r#b\r", 1, 3),
    ] as [(String, Int, UInt64)])
  func comments(text: String, count: Int, firstLine: UInt64) {
    var lines = CommentedLines(mark: UInt8(ascii: "#"), quote: UInt8(ascii: "\""))
    for byte in text.utf8 { unsafe withUnsafeBytes(of: byte) { unsafe lines.scan($0) } }
    #expect(lines.count == count && lines.firstLine == firstLine)
  }

  @Test("formats are told by the text where the name says nothing or something else")
  func formats() {
    let cases: [(String, FormatOptions.Format)] = [
      ("a,b\n1,2\n", .csv), ("[{\"a\":1}]", .json), ("{\"a\":1}\n{\"a\":2}\n", .ndjson), ("{\"a\":1}", .json),
      ("{\n \"a\": [\n {}]}", .json), ("\u{FEFF}  [1]", .json), ("[x],y\n", .csv), ("", .csv),
      ("{\"a\":\"}\\\"{\"}\r\n{\"a\":2}", .ndjson),
    ]
    for (text, format) in cases {
      #expect(FileFormatSniffer.format(of: Array(text.utf8)) == format, "\(text)")
    }
  }

  @Test("UTF-16 is told with and without a byte order mark")
  func encodings() {
    let text = "name,city\nAnn,Rome\n"
    #expect(FileFormatSniffer.encoding(of: Array(text.utf8)) == nil)
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(FileFormatSniffer.encoding(of: little) == .utf16LittleEndian)
    #expect(FileFormatSniffer.encoding(of: big) == .utf16BigEndian)
    #expect(FileFormatSniffer.encoding(of: [0xFF, 0xFE] + little) == .utf16)
  }

  @Test(
    "objects whose members are records of one kind are found, with a free name for their keys",
    arguments: [
      (#"{"de":{"name":"G"},"fr":{"name":"F"}}"#, ["|id"], [], []),
      (#"{"de":{"id":1},"fr":{"id":2}}"#, ["|key"], [], []),
      (#"{"data":{"a":{"x":1,"l":[{}]},"b":{"x":2,"l":[{}]}},"n":1,"m":[{}]}"#, ["/data|id"], ["/m"], ["/n"]),
      (#"{"meta":{"v":1},"data":{"w":2}}"#, [], [], ["/meta/v", "/data/w"]),
      (#"{"a":{"x":1}}"#, [], [], ["/a/x"]), (#"{"a":{"x":1},"b":{"x":2},"c":3}"#, [], [], ["/a/x", "/b/x", "/c"]),
      (#"{"a":{"x":{"k":1},"y":{"k":2}},"b":{"x":{"k":1},"y":{"k":3}}}"#, ["|id"], [], []),
      (#"{"a":{"x":1,"y":1},"b":{"x":2},"c":{"x":3},"d":{"x":4,"y":2}}"#, ["|id"], [], []),
      (#"{"001":{"n":1,"v":[1]},"002":{"n":2},"003":{"n":3}}"#, ["|id"], [], []),
      (#"{"a":{"p":1},"b":{"q":2},"c":{"p":3}}"#, [], [], ["/a/p", "/b/q", "/c/p"]),
      (#"{"a":{"p":1},"b":{"q":2},"c":{"r":3},"d":{"s":4}}"#, [], [], ["/a/p", "/b/q", "/c/r", "/d/s"]),
    ] as [(String, [String], [String], [String])])
  func keyedObjects(text: String, objects: [String], arrays: [String], others: [String]) {
    var outline = JSONOutline()
    unsafe Array(text.utf8).withUnsafeBytes { unsafe outline.scan($0) }
    #expect(outline.keyedObjects.map { "\($0.pointer)|\($0.field)" } == objects)
    #expect(outline.arrays == arrays)
    #expect(outline.others == others)
  }

  @Test("arrays of objects in a document are found, and what stands beside them")
  func outline() {
    let cases: [(String, [String], [String])] = [
      ("[{\"a\":1}]", [""], []), ("{\"x\":{\"y\":[{\"a\":[{}]}]},\"z\":[]}", ["/x/y"], ["/z"]),
      ("{\"a/b\":[{}],\"c~d\":[{},{}],\"n\":1}", ["/a~1b", "/c~0d"], ["/n"]),
      ("{\"k\\u0041\":[{\"q\":\"]}\"}]}", ["/kA"], []), ("{\"a\":[1,2],\"b\":\"[{\"}", [], ["/a", "/b"]),
      ("{\"a\":[[{}]]}", [], ["/a"]), ("{}", [], []),
    ]
    for (text, arrays, others) in cases {
      var outline = JSONOutline()
      unsafe Array(text.utf8).withUnsafeBytes { unsafe outline.scan($0) }
      #expect(outline.arrays == arrays, "\(text)")
      #expect(outline.others == others, "\(text)")
    }
  }
}
