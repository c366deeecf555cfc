import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// A model file with mistakes and the first line of each error, without the path, as "line: message".
struct Mistake: Sendable, CustomTestStringConvertible {
  var name: String
  var xml: String
  var expected: [String]

  var testDescription: String { name }

  init(_ name: String, _ xml: String, _ expected: String...) {
    self.name = name
    self.xml = xml
    self.expected = expected
  }

  /// The lines of a model's inside start at line 2.
  init(_ name: String, inside: String, _ expected: String...) {
    self.name = name
    xml = "<model documentVersion=\"1.0\">\n\(inside)\n</model>\n"
    self.expected = expected
  }
}

@Suite("Mistakes in model files")
struct MistakeTests {
  func problems(_ xml: Data) throws -> [ModelError.Problem] {
    let folder = try TemporaryFolder()
    let path = try folder.write(xml, to: "Bad.xcdatamodel/contents")
    do {
      _ = try ModelReader.read(path: path)
      return []
    } catch {
      #expect(error.problems.allSatisfy { $0.file == path && $0.line != nil && $0.hint != nil }, "\(error)")
      return error.problems
    }
  }

  @Test("each mistake has its line and message", arguments: Mistake.xml + Mistake.values + Mistake.model)
  func mistakes(mistake: Mistake) throws {
    let found = try problems(Data(mistake.xml.utf8)).map { "\($0.line ?? 0): \($0.message)" }
    #expect(found == mistake.expected)
  }

  @Test("a model cut off at any byte is refused")
  func truncated() throws {
    let whole = Data(
      "<?xml version=\"1.0\"?>\n<model documentVersion=\"1.0\">\n<entity name=\"A\"/>\n</model>".utf8)
    #expect(try problems(whole).isEmpty)
    for length in 0..<whole.count {
      #expect(try !problems(whole.prefix(length)).isEmpty, "\(length) bytes")
    }
  }

  @Test("text that is not UTF-8 is refused")
  func notUTF8() throws {
    var bytes = Data("<model>\n<entity name=\"A".utf8)
    bytes.append(contentsOf: [0xFF, 0xFE])
    bytes.append(contentsOf: Data("\"/></model>".utf8))
    #expect(try problems(bytes).first?.code == .malformedXML)
  }

  @Test("XML nested without end is refused")
  func deep() throws {
    let xml = String(repeating: "<model>", count: 100_000)
    #expect(try problems(Data(xml.utf8)).map(\.message) == ["elements are nested more than 64 deep"])
  }

  @Test("composites of composites that would grow without bound are refused")
  func composites() throws {
    var inside = ""
    for level in 0..<12 {
      inside += "<composite name=\"C\(level)\">\n"
      for element in 0..<10 {
        let type = level == 11 ? "attributeType=\"String\"" : "attributeType=\"Composite\" composite=\"C\(level + 1)\""
        inside += "<attribute name=\"e\(element)\" optional=\"YES\" \(type)/>\n"
      }
      inside += "</composite>\n"
    }
    let xml =
      "<model>\n<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"C0\"/></entity>\n"
      + inside + "</model>"
    let messages = try problems(Data(xml.utf8)).map(\.message)
    #expect(messages.contains("composite C8: it has more than 4096 elements in all"))
  }

  @Test("what is not known is left out with a warning, and the rest is read")
  func warnings() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      """
      <model documentVersion="1.1" colour="red">
        <entity name="A" shape="round">
          <attribute name="a" attributeType="String" defaultDateTimeInterval="1">text</attribute>
          <attribute name="b" attributeType="String" derivationExpression="a"/>
          <userInfo><entry key="k" value="1"/><entry key="k" value="2"/><entry key="" value=""/></userInfo>
          <gadget/>
        </entity>
        <gizmo/>
      </model>
      """, to: "A.xcdatamodel/contents")
    let file = try ModelReader.readFile(path: path)
    #expect(
      file.warnings.map { "\($0.line ?? 0): \($0.message)" } == [
        "1: the document version is 1.1; only 1.0 is known",
        "1: the attribute colour of <model> is not known and was left out",
        "2: the attribute shape of <entity> is not known and was left out",
        "3: defaultDateTimeInterval does not belong to an attribute of this type and was left out",
        "3: the text inside <attribute> was left out",
        "4: derivationExpression without derived=\"YES\" was left out",
        "5: the user info key k stands twice; the first one was taken",
        "5: a user info entry has an empty key; it was left out",
        "6: <gadget> inside <entity> is not known and was left out",
        "8: <gizmo> inside <model> is not known and was left out",
      ])
    #expect(file.model["A"]?.attributes.map(\.name) == ["a", "b"])
    #expect(file.model["A"]?.definition.userInfo == ["k": "1"])
  }
}

extension Mistake {
  static let xml = [
    Mistake("an empty file", "", "1: the file is empty"),
    Mistake("only a declaration", "<?xml version=\"1.0\"?>\n", "2: the file ends too early"),
    Mistake("no end tag", "<model>\n<entity name=\"A\">\n", "3: the file ends too early inside <entity>"),
    Mistake(
      "a wrong end tag", "<model>\n<entity name=\"A\">\n</model>",
      "3: the XML is not well-formed (an end tag does not match its start tag)"),
    Mistake(
      "an attribute without quotes", "<model>\n<entity name=A/></model>",
      "2: the XML is not well-formed (an attribute value is not in quotes or contains <)"),
    Mistake(
      "an attribute twice", "<model>\n<entity name=\"A\" name=\"B\"/></model>",
      "2: the XML is not well-formed (an attribute stands twice in a tag)"),
    Mistake(
      "an undefined entity", "<model>\n<entity name=\"&what;\"/></model>",
      "2: the XML is not well-formed (an entity that is not defined)"),
    Mistake(
      "a document type", "<?xml version=\"1.0\"?>\n<!DOCTYPE model [<!ENTITY a \"b\">]>\n<model/>",
      "2: the file declares a document type, which a model never does"),
    Mistake(
      "two root elements", "<model/>\n<model/>", "2: the XML is not well-formed (something follows the root element)"),
    Mistake("no XML", "hello", "1: the XML is not well-formed (no start tag was found)"),
    Mistake("another document", "<plist version=\"1.0\"/>", "1: the root element is <plist>, not <model>"),
  ]

  static let values = [
    Mistake("an entity without a name", inside: "<entity/>", "2: <entity> has no name"),
    Mistake(
      "an attribute without a name", inside: "<entity name=\"A\">\n<attribute attributeType=\"String\"/></entity>",
      "3: A: <attribute> has no name"),
    Mistake(
      "a flag that is neither YES nor NO",
      inside: "<entity name=\"A\">\n<attribute name=\"a\" optional=\"maybe\" attributeType=\"String\"/></entity>",
      "3: A.a: optional=\"maybe\" is not YES or NO"),
    Mistake(
      "an unknown attribute type",
      inside: "<entity name=\"A\">\n<attribute name=\"a\" attributeType=\"Integer 8\"/></entity>",
      "3: A.a: attributeType=\"Integer 8\" is not known"),
    Mistake(
      "an unknown deletion rule",
      inside: "<entity name=\"A\">\n<relationship name=\"r\" deletionRule=\"Drop\" destinationEntity=\"A\"/></entity>",
      "3: A.r: deletionRule=\"Drop\" is not known"),
    Mistake(
      "a relationship without a destination", inside: "<entity name=\"A\">\n<relationship name=\"r\"/></entity>",
      "3: A.r: <relationship> has no destinationEntity"),
    Mistake(
      "a count that is no number",
      inside: "<entity name=\"A\">\n<relationship name=\"r\" maxCount=\"one\" destinationEntity=\"A\"/></entity>",
      "3: A.r: maxCount=\"one\" is not a whole number"),
    Mistake(
      "defaults that do not fit their types",
      inside: """
        <entity name="A">
        <attribute name="a" attributeType="Integer 16" defaultValueString="MAYBE"/>
        <attribute name="b" attributeType="Boolean" defaultValueString="perhaps"/>
        <attribute name="c" attributeType="Double" defaultValueString="nan"/>
        <attribute name="d" attributeType="Decimal" defaultValueString="1,5"/>
        <attribute name="e" attributeType="UUID" defaultValueString="12"/>
        <attribute name="f" attributeType="Date" defaultDateTimeInterval="today"/>
        <attribute name="h" attributeType="String" maxValueString="-1"/>
        <attribute name="i" attributeType="Integer 64" minValueString="many"/>
        </entity>
        """,
      "3: A.a: defaultValueString=\"MAYBE\" is not a value of type Integer 16",
      "4: A.b: defaultValueString=\"perhaps\" is not a value of type Boolean",
      "5: A.c: defaultValueString=\"nan\" is not a value of type Double",
      "6: A.d: defaultValueString=\"1,5\" is not a value of type Decimal",
      "7: A.e: defaultValueString=\"12\" is not a value of type UUID",
      "8: A.f: defaultDateTimeInterval=\"today\" is not a value of type Date",
      "9: A.h: maxValueString=\"-1\" is not a value of type String",
      "10: A.i: minValueString=\"many\" is not a value of type Integer 64"),
    Mistake(
      "a derived attribute without an expression",
      inside: "<entity name=\"A\">\n<attribute name=\"a\" attributeType=\"String\" derived=\"YES\"/></entity>",
      "3: A.a: the attribute is derived but has no derivationExpression"),
    Mistake(
      "composites that are no good",
      inside: """
        <entity name="A">
        <attribute name="a" attributeType="Composite" composite="None"/>
        <attribute name="b" attributeType="Composite"/>
        </entity>
        <composite name="C">
        <attribute name="x" attributeType="Composite" composite="C"/>
        </composite>
        <composite name="D"/>
        <composite name="D"/>
        """,
      "3: A.a: the composite type None is not in the model",
      "4: A.b: the attribute is a Composite but names no composite type",
      "7: composite C.x: composites contain each other: C → C",
      "10: there is more than one composite named D"),
    Mistake(
      "index elements that are no good",
      inside: """
        <entity name="A"><attribute name="a" attributeType="String"/>
        <fetchIndex name="i"><fetchIndexElement property="a"/>
        <fetchIndexElement type="Binary"/>
        <fetchIndexElement property="a" type="Hash"/>
        <fetchIndexElement property="a" order="random"/></fetchIndex>
        </entity>
        """,
      "4: A: <fetchIndexElement> has neither property nor expression", "5: A: type=\"Hash\" of an index is not known",
      "6: A: order=\"random\" is not known"),
    Mistake(
      "a configuration twice", inside: "<configuration name=\"C\"/>\n<configuration name=\"C\"/>",
      "3: there is more than one configuration named C"),
  ]

  /// Mistakes that only the whole model shows; they get their lines from what they are about.
  static let model = [
    Mistake(
      "a parent and a destination that are not there",
      inside: """
        <entity name="A" parentEntity="B">
        <relationship name="r" maxCount="1" destinationEntity="a"/>
        </entity>
        """,
      "2: A has the parent entity B, which is not in the model",
      "3: A.r has the destination a, which is not in the model"),
    Mistake(
      "parents in a circle", inside: "<entity name=\"A\" parentEntity=\"B\"/>\n<entity name=\"B\" parentEntity=\"A\"/>",
      "2: the parents of A form a cycle: A → B → A"),
    Mistake(
      "names twice",
      inside: """
        <entity name="A"><attribute name="a" attributeType="String"/>
        <attribute name="a" attributeType="String"/></entity>
        <entity name="B" parentEntity="A">
        <attribute name="a" attributeType="String"/></entity>
        <entity name="A"/>
        """,
      "3: A has more than one property named a", "5: B.a has the name of a property inherited from A",
      "6: there is more than one entity named A"),
    Mistake(
      "inverses that do not fit",
      inside: """
        <entity name="A">
        <relationship name="b" maxCount="1" destinationEntity="B" inverseName="a" inverseEntity="B"/>
        <relationship name="c" maxCount="1" destinationEntity="B" inverseName="none" inverseEntity="B"/>
        </entity>
        <entity name="B">
        <relationship name="a" maxCount="1" destinationEntity="A"/>
        </entity>
        """,
      "3: A.b has the inverse B.a, but that one has no inverse",
      "4: A.c has the inverse B.none, which is not a relationship of B"),
    Mistake(
      "counts that contradict each other",
      inside: """
        <entity name="A">
        <relationship name="a" maxCount="2" destinationEntity="A"/>
        <relationship name="b" toMany="YES" minCount="-3" destinationEntity="A"/>
        </entity>
        """,
      "3: the to-one relationship A.a has a maximum count of 2", "4: the counts of A.b (-3…0) are out of range"),
  ]
}
