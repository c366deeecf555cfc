import Crypto
import Foundation

extension RecordExpression.Function {
  /// Whether a text has a part, byte by byte; every text has the empty one.
  static func contains(_ text: String, _ part: String) -> RecordExpressionValue {
    .boolean(part.isEmpty || text.range(of: part, options: .literal) != nil)
  }

  /// The pieces of a text between separators, empty ones included; one for the empty text.
  static func pieces(of text: String, _ separator: String) throws(RecordExpressionFailure) -> [Substring] {
    guard !separator.isEmpty else {
      throw RecordExpressionFailure(code: "expression.empty-pattern", message: "split() was given an empty separator")
    }
    var pieces: [Substring] = []
    var start = text.startIndex
    while let found = text.range(of: separator, options: .literal, range: start..<text.endIndex) {
      pieces.append(text[start..<found.lowerBound])
      start = found.upperBound
    }
    pieces.append(text[start...])
    return pieces
  }

  /// The n-th piece, counted from 1, or from the end by negative numbers; null where there is none.
  static func piece(
    _ number: RecordExpressionValue, of pieces: [Substring]
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    guard case .integer(let wanted) = try number.asNumber(), wanted != 0 else {
      throw RecordExpressionFailure(
        code: "expression.bad-argument", message: "split() counts from 1, or from the end by -1, -2, ...")
    }
    guard let index = Int(exactly: wanted > 0 ? wanted - 1 : Int64(pieces.count) + wanted),
      pieces.indices.contains(index)
    else { return .null }
    return .string(String(pieces[index]))
  }

  /// The namespace of `uuid()` where none is given: that of URLs in RFC 9562.
  static let urlNamespace = "6BA7B811-9DAD-11D1-80B4-00C04FD430C8"
  private static let namespaces = [
    "dns": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "url": urlNamespace, "oid": "6BA7B812-9DAD-11D1-80B4-00C04FD430C8",
    "x500": "6BA7B814-9DAD-11D1-80B4-00C04FD430C8",
  ]

  /// The UUID of version 5 that a name has in a namespace.
  static func uuid(_ name: String, namespace: String?) throws(RecordExpressionFailure) -> RecordExpressionValue {
    let written = namespace ?? urlNamespace
    guard let space = UUID(uuidString: namespaces[written.lowercased()] ?? written) else {
      throw RecordExpressionFailure(
        code: "expression.bad-argument",
        message: "\(RecordExpressionFailure.quoted(written)) is no namespace of uuid()",
        hint: "expected a UUID, or dns, url, oid or x500")
    }
    let head = unsafe withUnsafeBytes(of: space.uuid) { unsafe Array($0) }
    var hash = [UInt8](Insecure.SHA1.hash(data: head + Array(name.utf8)))
    hash[6] = hash[6] & 0x0F | 0x50
    hash[8] = hash[8] & 0x3F | 0x80
    // Safety: a hash has more bytes than a UUID.
    return .string(unsafe hash.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString)
  }
}
