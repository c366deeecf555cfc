import Foundation
import ObjectModel

extension Value {
  /// What Foundation's classes say of a value under a key. A key that they do not have stops the program, where Core
  /// Data raises an exception.
  func trait(_ key: String) -> Value {
    if isMissing { return .null }
    if key == "self" { return self }
    switch self {
    case .composite(let elements): return elements[key] ?? .null
    case .string(let text): if let trait = Self.trait(key, of: text) { return trait }
    case .uri(let url): if let trait = Self.trait(key, of: url) { return trait }
    case .data(let bytes) where key == "length": return .integer(Int64(bytes.count))
    case .date(let date) where key == "timeIntervalSinceReferenceDate":
      return .double(date.timeIntervalSinceReferenceDate)
    case .date(let date) where key == "timeIntervalSince1970": return .double(date.timeIntervalSince1970)
    case .integer, .boolean, .double, .decimal: if let trait = numberTrait(key) { return trait }
    default: break
    }
    preconditionFailure("\(self) has no value for the key \"\(key)\"")
  }

  /// Lengths are in UTF-16, as those of Foundation's texts and of the limits of a model are.
  private static func trait(_ key: String, of text: String) -> Value? {
    switch key {
    case "length": .integer(Int64(text.utf16.count))
    case "lowercaseString": .string(text.lowercased())
    case "uppercaseString": .string(text.uppercased())
    case "capitalizedString": .string(text.capitalized)
    case "intValue", "integerValue", "longLongValue": .integer(NSString(string: text).longLongValue)
    case "doubleValue", "floatValue": .double(NSString(string: text).doubleValue)
    case "boolValue": .boolean(NSString(string: text).boolValue)
    default: nil
    }
  }

  private static func trait(_ key: String, of url: URL) -> Value? {
    switch key {
    case "absoluteString": .string(url.absoluteString)
    case "host": url.host().map { .string($0) } ?? .null
    case "lastPathComponent": .string(url.lastPathComponent)
    case "path": .string(url.path)
    case "pathExtension": .string(url.pathExtension)
    case "scheme": url.scheme.map { .string($0) } ?? .null
    default: nil
    }
  }

  private func numberTrait(_ key: String) -> Value? {
    guard let number = anyValue as? NSNumber else { return nil }
    switch key {
    case "intValue", "integerValue", "longLongValue": return .integer(number.int64Value)
    case "doubleValue", "floatValue": return .double(number.doubleValue)
    case "boolValue": return .boolean(number.boolValue)
    default: return nil
    }
  }
}
