// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

import Seedbed

extension JournalEntry {
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
}

extension JournalEntry: PropertyNaming, ClassListing {
  /// The property that a key path stands for, of this class or one that inherits from it, so that `#Predicate` can speak
  /// of it.
  static func propertyName(for keyPath: AnyKeyPath) -> String? {
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

  /// The classes of the model, which a container that was given none takes when it first meets this one.
  static var modelClasses: [String: ManagedObject.Type] {
    SurfJournalClasses.byEntityName
  }
}
