import ObjectModel

/// An entity in the making, with the lines of `map` that fill it.
final class EntityDraft {
  /// Where the value of a property comes from.
  enum Source {
    /// An expression, as the pipeline file has it.
    case expression(String)
    /// The field that refers to the key of another entity.
    case reference(key: String, expression: String)
    /// A field with an object or an array of objects.
    case nested(field: String, EntityDraft)
  }

  struct Line {
    var property: String
    /// The column's or key's own name.
    var field: String
    var source: Source
    /// How dates are written, where not in ISO 8601.
    var datePattern: String?
    /// Texts that mean null.
    var nulls: [String] = []
    var comment: String
  }

  /// What it means that nothing tells objects apart, and how to mend it, for a comment.
  static let keyAdvice =
    "Without a key each import into a store that is there adds all records anew: name a property in `match`, below `entity`."

  let name: String
  /// What a note calls it: the file, or the place in the document.
  let place: String
  var attributes: [AttributeDefinition] = []
  var relationships: [RelationshipDefinition] = []
  var lines: [Line] = []
  /// The attribute that tells objects apart, and why it does.
  var key: (attribute: String, evidence: String)?
  /// Properties that tell objects apart together, where no attribute does alone, and why they do.
  var compoundKey: (properties: [String], evidence: String)?
  /// Why nothing tells objects apart; nil where something does.
  var keyAbsence: String?
  /// The column whose values `key` has.
  var keyColumn: ColumnProfile?

  init(name: String, place: String) {
    self.name = name
    self.place = place
  }

  var definition: EntityDefinition {
    var entity = EntityDefinition(name)
    entity.managedObjectClassName = name
    entity.codeGenerationType = "class"
    entity.attributes = attributes
    entity.relationships = relationships
    if let key {
      entity.uniquenessConstraints = [[key.attribute]]
    } else if let compoundKey, compoundKey.properties.allSatisfy({ name in attributes.contains { $0.name == name } }) {
      // Core Data's constraints have attributes alone; `match` takes relationships too.
      entity.uniquenessConstraints = [compoundKey.properties]
    }
    return entity
  }
}

/// A step of the pipeline in the making.
struct StepDraft {
  let list: RecordList
  let entity: EntityDraft
}
