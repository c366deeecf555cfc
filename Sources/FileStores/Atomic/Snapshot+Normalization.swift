import Foundation
import ObjectModel
import StoreInterface

extension Snapshot {
  /// Gives every value the form in which a store keeps it, so that what is read back equals what is in memory:
  /// transient values are dropped, numbers take the attribute's type, a Float is rounded to 32 bits. Derived values are
  /// the store's own and stay as they are.
  /// - Throws: `StoreError.failure` for a value that is not of the attribute's type.
  mutating func normalizeValues() throws(StoreError) {
    let described = objectID.entity.attributes
    guard described.count == attributes.count else {
      throw .failure("\(objectID.entity.name): the snapshot does not have the entity's properties")
    }
    for (index, attribute) in described.enumerated() where attribute.derivation == nil {
      guard let value = attributes[index].stored(as: attribute) else {
        throw .failure("\(objectID.entity.name).\(attribute.name): \(attributes[index]) is no \(attribute.type.name)")
      }
      attributes[index] = value
    }
  }
}

extension Value {
  /// The value as a store keeps it for an attribute; nil when it does not fit.
  func stored(as attribute: AttributeDefinition) -> Value? {
    if attribute.isTransient { return .null }
    switch (attribute.type, self) {
    case (_, .null): return .null
    // Not a number is a missing value to every comparison, and no value to a store.
    case (_, .double(let number)) where number.isNaN: return nil
    case (_, .decimal(let number)) where number.isNaN: return nil
    case (_, .date(let date)) where date.timeIntervalSinceReferenceDate.isNaN: return nil
    case (.uri, .uri(let url)), (.undefined, .uri(let url)), (.objectID, .uri(let url)):
      return StoredText.uri(url.absoluteString).map { .uri($0) }
    case (.float, .double(let number)): return .double(Double(Float(number)))
    case (.integer16, .integer(let number)): return Int16(exactly: number).map { .integer(Int64($0)) }
    case (.integer32, .integer(let number)): return Int32(exactly: number).map { .integer(Int64($0)) }
    case (.integer64, .integer), (.boolean, .boolean), (.double, .double), (.decimal, .decimal),
      (.string, .string), (.date, .date), (.binary, .data), (.transformable, .data), (.uuid, .uuid):
      return self
    case (.undefined, _), (.objectID, _):
      if case .composite = self { return nil }
      return self
    case (.composite, .composite(let elements)):
      var kept: [String: Value] = [:]
      for (name, element) in elements {
        guard let own = attribute.element(at: [name]), !own.isTransient, let value = element.stored(as: own) else {
          return nil
        }
        if value != .null { kept[name] = value }
      }
      return kept.isEmpty ? .null : .composite(kept)
    case (.integer16, .boolean(let flag)), (.integer32, .boolean(let flag)), (.integer64, .boolean(let flag)):
      return .integer(flag ? 1 : 0)
    case (.boolean, .integer(let number)): return .boolean(number != 0)
    case (.double, .integer(let number)): return .double(Double(number))
    case (.float, .integer(let number)): return .double(Double(Float(number)))
    case (.decimal, .integer(let number)): return .decimal(Decimal(number))
    default: return nil
    }
  }
}

extension AttributeDefinition {
  /// The stored element at a path of names inside of a composite, or the attribute itself at an empty path; nil where
  /// that is transient or a composite.
  func storedElement(at path: ArraySlice<String>) -> AttributeDefinition? {
    if isTransient { return nil }
    guard let name = path.first else { return composite == nil ? self : nil }
    return element(at: [name])?.storedElement(at: path.dropFirst())
  }
}
