/// Finds the JSON Pointer (RFC 6901) of a value from its position in the text, which an error message shows beside the
/// byte offset.
///
/// One locator serves for many values of one text: it goes on from where it came to, as long as offsets grow.
public struct JSONPointerLocator {
  private var containers: [Container] = []
  private var index = 0
  private var isKey = false
  private var lastOffset = 0

  /// A locator at the start of a text.
  public init() {}

  /// The pointer of the innermost value at an offset, from the value that `json` is; "" for that value itself and for
  /// an offset outside every member.
  /// - Parameter json: well-formed JSON text, the same in all calls; of other text the pointer of what could be followed
  ///   is returned.
  /// - Complexity: linear in the distance to the offset before; in the offset where that is smaller.
  public mutating func pointer(to offset: Int, in json: UnsafeRawBufferPointer) -> String {
    if offset < lastOffset { self = JSONPointerLocator() }
    lastOffset = offset
    while index < json.count, index <= offset {
      let byte = unsafe json[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        // At the bracket itself the value meant is the container.
        if index == offset { return Self.text(containers) }
        containers.append(Container(isArray: byte == UInt8(ascii: "[")))
        isKey = byte == UInt8(ascii: "{")
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if !containers.isEmpty { containers.removeLast() }
        isKey = false
      case UInt8(ascii: ","):
        if let last = containers.indices.last {
          containers[last].position += 1
          isKey = !containers[last].isArray
        }
      case UInt8(ascii: "\""):
        let end = unsafe Self.endOfString(json, from: index)
        if isKey, let last = containers.indices.last {
          containers[last].key = unsafe String(decoding: json[(index + 1)..<max(end - 1, index + 1)], as: UTF8.self)
          isKey = false
        }
        if offset < end { return Self.text(containers) }
        index = end
        continue
      default: break
      }
      index += 1
    }
    return Self.text(containers)
  }

  private struct Container {
    let isArray: Bool
    var position = 0
    /// The key as written, escapes included.
    var key = ""
  }

  /// The position behind the string that starts at a quote; the text's end where it is not closed.
  static func endOfString(_ json: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start + 1
    while index < json.count {
      switch unsafe json[index] {
      case UInt8(ascii: "\\"): index += 2
      case UInt8(ascii: "\""): return index + 1
      default: index += 1
      }
    }
    return json.count
  }

  private static func text(_ containers: [Container]) -> String {
    containers.map { container in
      container.isArray
        ? "/\(container.position)"
        : "/" + JSONPointer.escaped(container.key)
    }.joined()
  }
}
