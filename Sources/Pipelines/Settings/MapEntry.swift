/// One line of `map:`: a property of the entity and where its value comes from.
public struct MapEntry: Sendable {
  /// Name of the property.
  public var property: String
  /// Where its value comes from.
  public var value: MapValue
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}

extension MapEntry {
  /// Whether a source need not have the columns of the value.
  var isOptional: Bool {
    switch value {
    case .attribute(let mapped): mapped.isOptional
    case .reference(let mapped): mapped.isOptional
    case .nested(let mapped): mapped.isOptional
    }
  }

  /// Whether the record's members are added to those that the object has.
  var addsMembers: Bool {
    switch value {
    case .attribute: false
    case .reference(let mapped): mapped.members == .add
    case .nested(let mapped): mapped.members == .add
    }
  }
}

/// Where the value of a mapped property comes from.
public indirect enum MapValue: Sendable {
  case attribute(MappedAttribute)
  case reference(MappedReference)
  case nested(MappedObjects)
}

/// An attribute's value: an expression over the record and how to read its text.
public struct MappedAttribute: Sendable {
  /// The expression that yields the value.
  public var expression: RecordExpression
  /// Replaces the source's `nulls` for this attribute.
  public var nulls: [String]?
  /// Replaces the source's `dateFormat` for this attribute.
  public var dateFormat: String?
  /// Replaces the source's `timeZone` for this attribute.
  public var timeZone: String?
  /// A constant used when the value is absent or null.
  public var defaultValue: RecordExpression?
  /// Whether a file need not have the expression's columns.
  public var isOptional = false
}

/// Which members a record gives an object of a to-many relationship.
public enum MembersGiven: String, Sendable, CaseIterable {
  /// All: members that it does not name are taken out.
  case all
  /// Some: they are added to those that the object has.
  case add
}

/// A relationship by natural key.
public struct MappedReference: Sendable {
  /// What to do when no object has the key.
  public enum Missing: String, Sendable, CaseIterable {
    case reject, null
  }
  /// Attributes of the destination that identify an object; empty when the record key does.
  public var match: [String]
  /// One expression per attribute of `match`; for a record key the one that yields it.
  public var from: [RecordExpression]
  /// Whether the destination is found by its record key.
  public var isByRecordKey = false
  /// To-many: what separates keys in a text field; nil: the field is a JSON array (or holds one key).
  public var separator: String?
  /// What to do when no object has the key once all steps have run.
  public var onMissing: Missing
  /// To-many: whether the record names all members.
  public var members = MembersGiven.all
  /// Whether a file need not have the columns of the key.
  public var isOptional = false
}

/// A nested JSON object or array that becomes one or more objects of the relationship's destination.
public struct MappedObjects: Sendable {
  /// Field path of the object or array inside the record; empty where `elements` says what the objects are made of.
  public var from: String
  /// Yields a list, each element of which becomes an object.
  public var elements: RecordExpression?
  /// The destination entity, or one of its sub-entities.
  public var entity: String?
  /// The match key of the nested object; empty: the object belongs to its owner alone.
  public var match: [String]
  /// Where each property of the nested object comes from; paths start at that object.
  public var map: [MapEntry]
  /// To-many: whether the record has all members.
  public var members = MembersGiven.all
  /// Whether records need not have the field.
  public var isOptional = false
  /// Where each field's value is in the pipeline file.
  public var fieldPositions: [String: FilePosition] = [:]
}
