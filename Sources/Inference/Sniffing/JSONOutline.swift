import SeedFormats

/// The arrays of objects that a JSON document leads to through objects alone, and what else it holds: found in one
/// pass, without keeping the document.
struct JSONOutline {
  /// JSON Pointers of the arrays that hold an object first, in the order of the document.
  private(set) var arrays: [String] = []
  /// Values beside those arrays, by pointer; a few.
  private(set) var others: [String] = []
  /// The document is an array.
  private(set) var isArray = false
  /// Objects whose members are records, by pointer, with a name for the field of their keys. What is inside of them
  /// stands neither in `arrays` nor in `others`.
  private(set) var keyedObjects: [(pointer: String, field: String)] = []

  private struct Container {
    let isArray: Bool
    var key: [UInt8] = []
    var isEmpty = true
    /// The JSON Pointer of the container.
    let pointer: String
    /// An array reached through objects alone.
    let isReached: Bool
    /// What the members of an object have in common.
    var shape = KeyedObjectShape()
  }
  private var stack: [Container] = []
  private var arrayDepth = 0
  private var isInString = false
  private var isEscaped = false
  private var isKey = false
  private var isAfterColon = false
  private var text: [UInt8] = []
  private var isInScalar = false

  static let keptLimit = 1000

  mutating func scan(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices { unsafe consume(bytes[index]) }
  }

  private mutating func consume(_ byte: UInt8) {
    if isInString {
      if isEscaped {
        isEscaped = false
        text.append(byte)
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        text.append(byte)
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        if isKey, let last = stack.indices.last {
          stack[last].key = text
          if arrayDepth == 0, last > 0 { stack[last - 1].shape.note(keyOfMember: text) }
        }
      } else if arrayDepth == 0, text.count < 4096 {
        text.append(byte)
      }
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      isKey = stack.last.map { !$0.isArray && !isAfterColon } ?? false
      if !isKey { value() }
      isInString = true
      isInScalar = false
      text.removeAll(keepingCapacity: true)
    case UInt8(ascii: "{"), UInt8(ascii: "["): open(isArray: byte == UInt8(ascii: "["))
    case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
    case UInt8(ascii: ":"):
      isAfterColon = true
      isInScalar = false
    case UInt8(ascii: ","):
      isAfterColon = false
      isInScalar = false
    case 0x20, 0x0A, 0x0D, 0x09: isInScalar = false
    default:
      if !isInScalar { value() }
      isInScalar = true
    }
  }

  /// A scalar begins.
  private mutating func value() {
    guard arrayDepth == 0, let last = stack.indices.last else {
      noteElement()
      return
    }
    stack[last].shape.noteMember(isObject: false)
    add(other: pointer(stack[last]))
  }

  /// The array that is open is not empty.
  private mutating func noteElement() {
    guard let last = stack.indices.last, stack[last].isArray, stack[last].isEmpty else { return }
    stack[last].isEmpty = false
    // An array of bare values is no array of records.
    if stack[last].isReached { add(other: stack[last].pointer) }
  }

  private mutating func add(other pointer: String) {
    if others.count < Self.keptLimit { others.append(pointer) }
  }

  private mutating func open(isArray: Bool) {
    isInScalar = false
    if stack.isEmpty { self.isArray = isArray }
    var own = ""
    if let last = stack.indices.last {
      if stack[last].isArray {
        if stack[last].isEmpty, stack[last].isReached {
          if isArray {
            add(other: stack[last].pointer)
          } else if arrays.count < Self.keptLimit {
            arrays.append(stack[last].pointer)
          }
        }
        stack[last].isEmpty = false
      } else if arrayDepth == 0 {
        own = pointer(stack[last])
        stack[last].shape.noteMember(isObject: !isArray)
      }
    }
    stack.append(Container(isArray: isArray, pointer: own, isReached: isArray && arrayDepth == 0))
    if isArray { arrayDepth += 1 }
    isAfterColon = false
  }

  private mutating func close() {
    isInScalar = false
    isAfterColon = false
    guard let container = stack.popLast() else { return }
    if container.isArray {
      arrayDepth -= 1
      if container.isReached, container.isEmpty { add(other: container.pointer) }
    } else if arrayDepth == 0, container.shape.isList, keyedObjects.count < Self.keptLimit {
      let inside = container.pointer + "/"
      arrays.removeAll { $0.hasPrefix(inside) }
      others.removeAll { $0.hasPrefix(inside) }
      keyedObjects.removeAll { $0.pointer.hasPrefix(inside) }
      keyedObjects.append((container.pointer, container.shape.keyField))
    }
  }

  private func pointer(_ container: Container) -> String {
    container.pointer + "/" + JSONPointer.escaped(JSONKey.text(of: container.key))
  }

  /// Whether a line is one JSON object and nothing else, as far as brackets tell.
  static func isWholeObject(_ line: [UInt8]) -> Bool {
    var outline = JSONOutline()
    unsafe line.withUnsafeBytes { unsafe outline.scan($0) }
    return outline.stack.isEmpty && !outline.isInString && !outline.isArray
  }
}

/// Keys of JSON objects.
enum JSONKey {
  /// A key out of its text as written between the quotes.
  static func text(of raw: [UInt8]) -> String {
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    let quoted = [UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")]
    let array = [UInt8(ascii: "[")] + quoted + [UInt8(ascii: "]")]
    guard
      let reader = try? RecordReader(source: MemorySource(array), options: .json, projection: [""], file: nil)
    else { return String(decoding: raw, as: UTF8.self) }
    let batch = RecordBatch(fieldCount: 1)
    guard (try? reader.next(batch)) == true, batch.count == 1 else { return String(decoding: raw, as: UTF8.self) }
    return batch.text(of: batch.field(0, ofRecord: 0))
  }
}
