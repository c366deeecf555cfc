import Foundation

/// A member that an object of a JSON text has twice.
///
/// `JSONDecoder` keeps one of them and silently drops the other.
enum RepeatedMember {
  /// The first name that comes again in the same object; nil where every name is there once.
  /// - Parameter json: well-formed.
  static func name(in json: Data) -> String? {
    /// The names so far of each object that is open; nil stands for an array.
    var open: [Set<String>?] = []
    var isNameNext = false
    var index = json.startIndex
    while index < json.endIndex {
      switch json[index] {
      case UInt8(ascii: "{"):
        open.append([])
        isNameNext = true
      case UInt8(ascii: "["):
        open.append(nil)
        isNameNext = false
      case UInt8(ascii: "}"), UInt8(ascii: "]"): open.removeLast()
      case UInt8(ascii: ","): isNameNext = open.last.flatMap(\.self) != nil
      case UInt8(ascii: "\""):
        let end = endOfString(json, from: index)
        if isNameNext, let name = try? JSONDecoder().decode(String.self, from: json[index...end]) {
          if open.last??.contains(name) == true { return name }
          open[open.count - 1]?.insert(name)
        }
        isNameNext = false
        index = end
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The index of the quote that closes a string.
  private static func endOfString(_ json: Data, from start: Data.Index) -> Data.Index {
    var index = start + 1
    while index < json.endIndex, json[index] != UInt8(ascii: "\"") {
      index += json[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, json.endIndex - 1)
  }
}
