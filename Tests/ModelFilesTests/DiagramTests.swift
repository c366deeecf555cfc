import Diagrams
import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The boxes and ways of a picture, read from its text.
private final class Picture: NSObject, XMLParserDelegate {
  struct Point: Equatable {
    var x: Double
    var y: Double
  }
  struct Box {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  var boxes: [Box] = []
  /// The corners of every line, corners not rounded.
  var ways: [[Point]] = []
  var size = Point(x: 0, y: 0)
  var text = ""
  private var isFirstWay = false

  init(_ svg: String) throws {
    super.init()
    let parser = XMLParser(data: Data(svg.utf8))
    parser.delegate = self
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    func number(_ key: String) -> Double { Double(attributes[key] ?? "") ?? .nan }
    switch (name, attributes["class"]) {
    case ("svg", _): size = Point(x: number("width"), y: number("height"))
    case ("g", _): isFirstWay = attributes["class"] != "entity"
    case ("rect", "box"):
      boxes.append(Box(x: number("x"), y: number("y"), width: number("width"), height: number("height")))
    case ("path", "way") where isFirstWay:
      // The first path of a line is its way, the others are symbols.
      isFirstWay = false
      ways.append(Self.corners(attributes["d"] ?? ""))
    default: break
    }
  }

  /// `M x y L x y Q cx cy x y …`: the corner before a curve is the control point.
  private static func corners(_ path: String) -> [Point] {
    var points: [Point] = []
    var command: Character = "M"
    for part in path.split(whereSeparator: { "MLQ".contains($0) }) {
      let start = path[path.index(before: part.startIndex)]
      command = start
      let numbers = part.split(separator: " ").compactMap { Double($0) }
      if command == "Q" {
        points.removeLast()
        points.append(Point(x: numbers[0], y: numbers[1]))
        points.append(Point(x: numbers[2], y: numbers[3]))
      } else {
        if command == "L", points.count > 1, isOnWay(points, numbers) { points.removeLast() }
        points.append(Point(x: numbers[0], y: numbers[1]))
      }
    }
    return points
  }

  /// Whether the last point only ends a curve and the way goes straight on.
  private static func isOnWay(_ points: [Point], _ next: [Double]) -> Bool {
    let (before, last) = (points[points.count - 2], points[points.count - 1])
    return (before.x == last.x && last.x == next[0]) || (before.y == last.y && last.y == next[1])
  }
}

@Suite("Entity-relationship diagrams")
struct DiagramTests {
  /// Every model of the fixtures and those written here.
  static let paths: [String] =
    FixtureFolder.expected.modelPaths.map { FixtureFolder.path($0) }
    + [OwnModels.library]

  private func check(_ model: ManagedObjectModel, _ comment: String) throws {
    let diagram = EntityDiagram(model: model, title: "T")
    let svg = try diagram.svg()
    let picture = try Picture(svg)
    #expect(picture.boxes.count == model.entities.count && diagram.entityCount == model.entities.count)
    #expect(picture.ways.count == diagram.lineCount, "\(comment)")
    let all = picture.boxes
    for (index, box) in all.enumerated() {
      #expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= picture.size.x && box.y + box.height <= picture.size.y)
      for other in all[(index + 1)...] {
        let isApart =
          box.x + box.width < other.x || other.x + other.width < box.x || box.y + box.height < other.y
          || other.y + other.height < box.y
        #expect(isApart, "\(comment): boxes overlap")
      }
    }
    for way in picture.ways {
      try #require(way.count > 1, "\(comment): a line without a way")
      for (start, end) in zip(way, way.dropFirst()) {
        #expect(start.x == end.x || start.y == end.y, "\(comment): a slanting line")
        for box in all {
          // A line may touch a box, where it begins and ends, and must not go through one.
          let isInside =
            max(start.x, end.x) > box.x + 0.5 && min(start.x, end.x) < box.x + box.width - 0.5
            && max(start.y, end.y) > box.y + 0.5 && min(start.y, end.y) < box.y + box.height - 0.5
          #expect(!isInside, "\(comment): a line goes through a box")
        }
      }
      for end in [way[0], way[way.count - 1]] {
        let touches = all.contains { box in
          (abs(end.x - box.x) < 0.5 || abs(end.x - box.x - box.width) < 0.5) && end.y > box.y
            && end.y < box.y + box.height
        }
        #expect(touches, "\(comment): a line ends at no box")
      }
    }
    #expect(try EntityDiagram(model: model, title: "T").svg() == svg)
  }

  @Test("no line goes through a box, no box covers another, and every line ends at boxes", arguments: paths)
  func geometry(path: String) throws {
    try check(try ModelReader.read(path: path), path)
  }

  @Test("the same holds for random models", arguments: 0..<12)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...30, using: &random)
    var entities = (0..<count).map { EntityDefinition("E\($0)") }
    for index in entities.indices {
      for attribute in 0..<Int.random(in: 0...8, using: &random) {
        entities[index].attributes.append(AttributeDefinition("a\(index)_\(attribute)", .string))
      }
      if index > 0, Int.random(in: 0..<5, using: &random) == 0 {
        entities[index].superentityName = "E\(Int.random(in: 0..<index, using: &random))"
      }
    }
    for line in 0..<Int.random(in: 0...(count * 2), using: &random) {
      let (from, to) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
      let kind = Int.random(in: 0..<5, using: &random)
      let (name, back) = ("r\(line)", "b\(line)")
      switch kind {
      case 0: entities[from].relationships.append(RelationshipDefinition(name, toOne: "E\(to)"))
      case 1 where from == to:
        entities[from].relationships.append(RelationshipDefinition(name, toMany: "E\(to)", inverse: name))
      case 2:
        entities[from].relationships.append(RelationshipDefinition(name, toMany: "E\(to)", inverse: back))
        entities[to].relationships.append(RelationshipDefinition(back, toMany: "E\(from)", inverse: name))
      default:
        entities[from].relationships.append(RelationshipDefinition(name, toOne: "E\(to)", inverse: back))
        entities[to].relationships.append(RelationshipDefinition(back, toMany: "E\(from)", inverse: name))
      }
    }
    try check(try ManagedObjectModel(entities: entities), "seed \(seed)")
  }

  @Test("text is escaped, long names are cut, and letters of other scripts stay")
  func text() throws {
    var place = EntityDefinition("Örtlichkeit")
    let long = String(repeating: "abcdefghij", count: 8)
    var count = AttributeDefinition("n", .integer64)
    count.derivation = AttributeDefinition.Derivation(expression: "a < b && \"c\"\u{1}")
    place.attributes = [AttributeDefinition("名前", .string), AttributeDefinition(long, .string), count]
    let model = try ManagedObjectModel(entities: [place])
    let svg = try EntityDiagram(model: model, title: "<a> & \"b\"", rowCounts: ["Örtlichkeit": 12_345]).svg()
    let picture = try Picture(svg)
    #expect(svg.contains("<title>&lt;a&gt; &amp; &quot;b&quot;</title>"))
    #expect(picture.text.contains("Örtlichkeit") && picture.text.contains("名前") && picture.text.contains("12345"))
    #expect(picture.text.contains("= a < b && \"c\"\u{FFFD}"))
    #expect(picture.text.contains(long) && picture.text.contains("abc…"))
  }

  @Test("Mermaid text has only words that Mermaid takes", arguments: paths)
  func mermaid(path: String) throws {
    let model = try ModelReader.read(path: path)
    let diagram = EntityDiagram(model: model, title: "A \"B\" %%{init}%%")
    let lines = diagram.mermaid().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.prefix(4) == ["---", "title: \"A  B     init   \"", "---", "erDiagram"])
    #expect(lines.last == "")
    let word = #"[A-Za-z_\u{C0}-\u{D7FF}][\w\u{C0}-\u{D7FF}]*"#
    let forms = [
      #" {4}"[\p{L}_][\p{L}\p{N}_]*"( \{)?"#, #" {8}\#(word) \#(word)( UK)?( "[^"%{}]*")?"#, #" {4}\}"#,
      #" {4}"[^"]+" (\|o|\|\||\}\||\}o)(--|\.\.)(o\||\|\||\|\{|o\{) "[^"]+" : "[^"%]*""#,
    ]
    let known = try Regex(forms.map { "(\($0))" }.joined(separator: "|"))
    for text in lines.dropFirst(4).dropLast() {
      let isKnown = try known.wholeMatch(in: text) != nil
      #expect(isKnown, "\(text)")
    }
    #expect(EntityDiagram(model: model, title: "A \"B\" %%{init}%%").mermaid() == diagram.mermaid())
  }

  @Test("counts at both ends, what only one side knows, inheritance, and names of keys in Mermaid text")
  func mermaidForms() throws {
    var (first, second, third) = (EntityDefinition("A"), EntityDefinition("B"), EntityDefinition("C"))
    first.attributes = [AttributeDefinition("pk", .integer16), AttributeDefinition("éa", .string)]
    first.attributes[0].isOptional = false
    first.uniquenessConstraints = [["éa"]]
    var owner = RelationshipDefinition("owner", toOne: "A", inverse: "things")
    owner.isOptional = false
    second.relationships = [owner, RelationshipDefinition("last", toOne: "A")]
    var things = RelationshipDefinition("things", toMany: "B", inverse: "owner")
    things.isOptional = false
    things.minimumCount = 1
    first.relationships = [things, RelationshipDefinition("friends", toMany: "A", inverse: "friends")]
    third.superentityName = "B"
    let model = try ManagedObjectModel(entities: [first, second, third])
    #expect(
      EntityDiagram(model: model, title: "t").mermaid() == """
        ---
        title: "t"
        ---
        erDiagram
            "A" {
                Integer16 pk_ "pk"
                String éa UK "optional"
            }
            "B"
            "C"
            "B" ||--o| "C" : "is a"
            "A" }o--o{ "A" : "friends"
            "A" ||--|{ "B" : "things / owner"
            "A" |o..o{ "B" : "last"

        """)
  }

  @Test("a model that no picture could show is refused, and Mermaid text is still made")
  func tooLarge() throws {
    let model = try ManagedObjectModel(
      entities: (0...EntityDiagram.maximumEntityCount).map { EntityDefinition("E\($0)") })
    let diagram = EntityDiagram(model: model, title: "t")
    #expect(throws: ModelError.self) { try diagram.svg() }
    #expect(diagram.mermaid().contains("\"E1000\""))
    var tangle = EntityDefinition("A")
    tangle.relationships = (0...EntityDiagram.maximumLineCount).map { RelationshipDefinition("r\($0)", toOne: "A") }
    let lines = EntityDiagram(model: try ManagedObjectModel(entities: [tangle]), title: "t")
    #expect(throws: ModelError.self) { try lines.svg() }
  }
}
