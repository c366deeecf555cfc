import Foundation

/// Writes keyed archives as Apple's archiver does, also ones that it never would.
struct ArchiveBuilder {
  /// A value of an archived object.
  indirect enum Node {
    case null
    case flag(Bool)
    case integer(Int)
    case real(Double)
    case text(String)
    case data([UInt8])
    /// An object made earlier or later, by its number.
    case reference(Int)
    /// An object of its own with a class and fields.
    case object(String, [String: Node])
    case array([Node])
    case dictionary([(String, Node)])
  }

  /// What the property list holds; arrays and dictionaries by the numbers of their parts.
  enum Plain {
    case flag(Bool)
    case integer(Int)
    case real(Double)
    case text(String)
    case data([UInt8])
    case uid(Int)
    case array([Int])
    case dictionary([(Int, Int)])
  }

  /// The property list's objects.
  private var plain: [Plain] = []
  private var texts: [String: Int] = [:]
  /// The archive's objects, by their numbers in the property list.
  private var archived: [Int] = []
  private var classes: [String: Int] = [:]

  init() {
    archived.append(add(text: "$null"))
  }

  /// Reserves the number of an object that others may refer to before it is set.
  mutating func reserve() -> Int {
    archived.append(archived[0])
    return archived.count - 1
  }

  /// Archives a node and returns its number.
  @discardableResult
  mutating func archive(_ node: Node, as number: Int? = nil) -> Int {
    switch node {
    case .null: return 0
    case .reference(let number): return number
    case .array(let nodes): return archive(.object("NSArray", ["NS.objects": .array(nodes)]), as: number)
    case .dictionary(let entries):
      let number = number ?? reserve()
      let keys = entries.map { add(.uid(archive(.text($0.0)))) }
      let values = entries.map { add(.uid(archive($0.1))) }
      set(number, "NSDictionary", ["NS.keys": add(.array(keys)), "NS.objects": add(.array(values))])
      return number
    case .object(let name, let fields):
      let number = number ?? reserve()
      var numbers: [String: Int] = [:]
      for key in fields.keys.sorted() {
        guard let field = fields[key] else { continue }
        switch field {
        case .flag(let flag): numbers[key] = add(.flag(flag))
        case .integer(let value): numbers[key] = add(.integer(value))
        case .data(let bytes): numbers[key] = add(.data(bytes))
        case .array(let nodes) where key == "NS.objects":
          numbers[key] = add(.array(nodes.map { add(.uid(archive($0))) }))
        default: numbers[key] = add(.uid(archive(field)))
        }
      }
      set(number, name, numbers)
      return number
    case .flag(let flag): return store(.flag(flag), number)
    case .integer(let value): return store(.integer(value), number)
    case .real(let value): return store(.real(value), number)
    case .data(let bytes): return store(.data(bytes), number)
    case .text(let text): return store(.text(text), number)
    }
  }

  /// The whole archive with its root.
  mutating func finish(root: Int) -> [UInt8] {
    let top = [(add(text: "root"), add(.uid(root)))]
    let list = add(.array(archived))
    let entries = [
      (add(text: "$archiver"), add(text: "NSKeyedArchiver")), (add(text: "$version"), add(.integer(100_000))),
      (add(text: "$top"), add(.dictionary(top))), (add(text: "$objects"), list),
    ]
    let root = add(.dictionary(entries))
    return Self.encode(plain, root: root)
  }

  private mutating func store(_ value: Plain, _ number: Int?) -> Int {
    let number = number ?? reserve()
    archived[number] = add(value)
    return number
  }

  private mutating func set(_ number: Int, _ className: String, _ fields: [String: Int]) {
    let classNumber =
      classes[className]
      ?? {
        let names = add(.array([add(text: className), add(text: "NSObject")]))
        let new = store(.text(className), nil)
        archived[new] = add(
          .dictionary([(add(text: "$classname"), add(text: className)), (add(text: "$classes"), names)]))
        classes[className] = new
        return new
      }()
    var entries = fields.sorted { $0.key < $1.key }.map { (add(text: $0.key), $0.value) }
    entries.append((add(text: "$class"), add(.uid(classNumber))))
    archived[number] = add(.dictionary(entries))
  }

  private mutating func add(_ value: Plain) -> Int {
    plain.append(value)
    return plain.count - 1
  }

  private mutating func add(text: String) -> Int {
    if let known = texts[text] { return known }
    let number = add(.text(text))
    texts[text] = number
    return number
  }

  // MARK: - The property list

  /// Writes objects as a binary property list with 4-byte references and offsets.
  static func encode(_ objects: [Plain], root: Int) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      switch object {
      case .flag(let flag): bytes.append(flag ? 0x09 : 0x08)
      case .integer(let value): bytes += [0x13] + bigEndian(value, 8)
      case .real(let value): bytes += [0x23] + bigEndian(Int(bitPattern: UInt(value.bitPattern)), 8)
      case .data(let data): bytes += marker(0x40, data.count) + data
      case .text(let text):
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        bytes += marker(isASCII ? 0x50 : 0x60, isASCII ? text.utf8.count : text.utf16.count)
        bytes += isASCII ? Array(text.utf8) : text.utf16.flatMap { bigEndian(Int($0), 2) }
      case .uid(let number): bytes += [0x83] + bigEndian(number, 4)
      case .array(let numbers): bytes += marker(0xA0, numbers.count) + numbers.flatMap { bigEndian($0, 4) }
      case .dictionary(let entries):
        bytes += marker(0xD0, entries.count)
        bytes += (entries.map(\.0) + entries.map(\.1)).flatMap { bigEndian($0, 4) }
      }
    }
    let table = bytes.count
    bytes += offsets.flatMap { bigEndian($0, 4) }
    return bytes + [0, 0, 0, 0, 0, 0, 4, 4] + bigEndian(objects.count, 8) + bigEndian(root, 8) + bigEndian(table, 8)
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + bigEndian(count, 4)
  }

  private static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
