/// A record that `KeyedObjectSource` made of a member.
package enum KeyedRecord {
  /// The field of a value that is no object.
  package static let valueField = "value"

  /// The key of the member.
  /// - Parameter record: the record's text.
  package static func key(of record: UnsafeRawBufferPointer) -> String? {
    // Behind the brace there are the name of the field, a colon and the key.
    let start = unsafe JSONPointerLocator.endOfString(record, from: 1) + 1
    guard start < record.count, unsafe record[start] == 0x22 else { return nil }
    let key = unsafe record[start..<JSONPointerLocator.endOfString(record, from: start)]
    return unsafe String(decoding: KeyedObjectSource.unescaped(Array(key)), as: UTF8.self)
  }

  /// A name as a JSON text.
  package static func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.value < 0x20: text += "\\u" + String(scalar.value + 0x10000, radix: 16).suffix(4)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
