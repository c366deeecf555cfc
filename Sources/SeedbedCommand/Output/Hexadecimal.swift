import Foundation

extension Sequence<UInt8> {
  /// Two lower-case digits a byte.
  var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension Data? {
  /// As much of a version hash as tells it from others.
  var shortHash: String { map { String($0.hexadecimal.prefix(12)) } ?? "none" }
}
