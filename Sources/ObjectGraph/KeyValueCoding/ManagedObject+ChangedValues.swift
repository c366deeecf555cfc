import Foundation
import ObjectModel

/// What changed, as key-value coding has values.
extension ManagedObject {
  /// The persisted properties that differ from what is stored, with their new values: as `value(forKey:)` gives them,
  /// and `NSNull` for none. See `changedPropertyValues()`, which has them typed.
  public func changedValues() -> [String: Any] { plain(changedPropertyValues()) }

  /// The values that the object was last fetched or saved with; `NSNull` for none. See
  /// `committedPropertyValues(forKeys:)`, which has them typed.
  /// - Parameter keys: names of properties; nil for all persisted ones. Other names are ignored.
  public func committedValues(forKeys keys: [String]?) -> [String: Any] {
    plain(committedPropertyValues(forKeys: keys))
  }

  /// The properties that changed since changes were last processed, with the values they had then; `NSNull` for none.
  /// See `changedPropertyValuesForCurrentEvent()`, which has them typed.
  public func changedValuesForCurrentEvent() -> [String: Any] { plain(changedPropertyValuesForCurrentEvent()) }

  private func plain(_ values: [String: PropertyValue]) -> [String: Any] {
    Dictionary(
      uniqueKeysWithValues: values.map { name, value in
        switch value {
        case .attribute(let value): return (name, value.anyValue ?? NSNull())
        case .toOne(let id): return (name, id.flatMap { context?.object(with: $0) } ?? NSNull())
        case .toMany(let ids):
          let members = ids.compactMap { context?.object(with: $0) }
          let isOrdered = entity.relationship(name)?.isOrdered == true
          return (name, isOrdered ? members : Set(members))
        }
      })
  }
}
