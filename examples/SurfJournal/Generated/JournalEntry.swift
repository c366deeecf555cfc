// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

import Seedbed

/// An object of the entity JournalEntry.
final class JournalEntry: ManagedObject, PropertyNaming {
  /// Makes a new object with the model's defaults.
  @discardableResult
  class func insert(into context: ManagedObjectContext) -> JournalEntry {
    SurfJournalClasses.checked(
      context.insert(SurfJournalClasses.entity("JournalEntry", in: context.persistentStoreCoordinator.managedObjectModel)))
  }

  /// Date, required.
  var date: Date {
    get { if case .date(let value) = self["date"] { value } else { Date(timeIntervalSinceReferenceDate: 0) } }
    set { self["date"] = .date(newValue) }
  }

  /// Double, 0 without a value.
  var height: Double {
    get { if case .double(let value) = self["height"] { value } else { 0 } }
    set { self["height"] = .double(newValue) }
  }

  /// String, required.
  var location: String {
    get { if case .string(let value) = self["location"] { value } else { "" } }
    set { self["location"] = .string(newValue) }
  }

  /// Double, 0 without a value.
  var period: Double {
    get { if case .double(let value) = self["period"] { value } else { 0 } }
    set { self["period"] = .double(newValue) }
  }

  /// Integer 16, required.
  var rating: Int16 {
    get { if case .integer(let value) = self["rating"] { Int16(clamping: value) } else { 0 } }
    set { self["rating"] = .integer(Int64(newValue)) }
  }

  /// String.
  var wind: String? {
    get { if case .string(let value) = self["wind"] { value } else { nil } }
    set { self["wind"] = newValue.map { Value.string($0) } ?? .null }
  }

  /// The property that a key path of this class stands for, so that `#Predicate` can speak of it.
  class func propertyName(for keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \JournalEntry.date: "date"
    case \JournalEntry.height: "height"
    case \JournalEntry.location: "location"
    case \JournalEntry.period: "period"
    case \JournalEntry.rating: "rating"
    case \JournalEntry.wind: "wind"
    default: nil
    }
  }
}
