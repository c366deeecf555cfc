/// The arrays that a JSON value leads to through objects alone, for the message that one of them must be named.
struct JSONArrays {
  struct Found {
    /// The keys on the way, unescaped.
    var path: [[UInt8]]
    var count = 0
    /// The first element is an object.
    var holdsObjects = false
    /// The array's end was seen.
    var isWhole = false
  }

  private(set) var found: [Found] = []
  /// Arrays beyond the greatest number that is kept.
  private var furtherCount = 0

  private static let keptLimit = 1000
  private static let listedLimit = 10
  /// Longer ones are not listed.
  static let longestPointer = 200

  private struct Container {
    let isArray: Bool
    var key: [UInt8] = []
    /// Index in `found`.
    var array: Int?
    var isEmpty = true
  }

  /// - Parameter json: well-formed as far as it goes; it may end anywhere.
  @unsafe init(_ json: UnsafeRawBufferPointer) {
    var containers: [Container] = []
    var arrayDepth = 0
    var isKey = false
    var position = 0
    let scratch = ByteBuffer(capacity: 256)
    while position < json.count {
      let byte = unsafe json[position]
      let isText = byte == 0x22
      if byte > 0x20, byte != 0x5D, byte != 0x7D, byte != 0x2C, let last = containers.indices.last {
        if let array = containers[last].array, containers[last].isEmpty {
          found[array].holdsObjects = byte == 0x7B
          found[array].count = 1
        }
        containers[last].isEmpty = false
      }
      switch byte {
      case 0x7B:
        containers.append(Container(isArray: false))
        isKey = true
      case 0x5B:
        var container = Container(isArray: true)
        if arrayDepth == 0 {
          if found.count < JSONArrays.keptLimit {
            container.array = found.count
            found.append(Found(path: containers.map(\.key)))
          } else {
            furtherCount += 1
          }
        }
        containers.append(container)
        arrayDepth += 1
      case 0x7D, 0x5D:
        if let container = containers.popLast(), container.isArray {
          arrayDepth -= 1
          if let array = container.array { found[array].isWhole = true }
        }
        isKey = false
      case 0x2C:
        if let last = containers.last {
          isKey = !last.isArray
          if let array = last.array { found[array].count += 1 }
        }
      default: break
      }
      guard isText else {
        position += 1
        continue
      }
      // Safety: `end` is no greater than the count; where a string is cut off, `max` keeps the length at 0 or above.
      let end = unsafe JSONPointerLocator.endOfString(json, from: position)
      if isKey, arrayDepth == 0, let last = containers.indices.last, let base = json.baseAddress {
        scratch.removeAll()
        unsafe JSONStringDecoding.unescape(
          (base + position + 1).assumingMemoryBound(to: UInt8.self), count: max(end - position - 2, 0), into: scratch)
        containers[last].key = unsafe Array(UnsafeBufferPointer(start: scratch.base, count: scratch.count))
      }
      isKey = false
      position = end
    }
  }

  /// The pointers with the arrays' sizes, those of objects first; nil when there is none.
  /// - Parameter pointer: where the value stands.
  func list(below pointer: String) -> String? {
    let shown = found.compactMap { array -> (text: String, holdsObjects: Bool)? in
      let path = pointer + array.path.map(JSONArrays.token).joined()
      guard !path.isEmpty, path.utf8.count <= JSONArrays.longestPointer else { return nil }
      return ("\(path) (array of \(array.isWhole ? "" : "at least ")\(array.count))", array.holdsObjects)
    }
    guard !shown.isEmpty else { return nil }
    let ordered = shown.filter(\.holdsObjects) + shown.filter { !$0.holdsObjects }
    let listed = ordered.prefix(JSONArrays.listedLimit).map(\.text).joined(separator: ", ")
    let rest = found.count + furtherCount - min(ordered.count, JSONArrays.listedLimit)
    return listed + (rest > 0 ? " and \(rest) more" : "")
  }

  /// A key as a reference token of a JSON Pointer.
  private static func token(_ key: [UInt8]) -> String {
    "/" + JSONPointer.escaped(String(decoding: key, as: UTF8.self))
  }
}
