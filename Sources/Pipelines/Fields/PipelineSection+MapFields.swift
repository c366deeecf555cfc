extension PipelineSection {
  /// The long forms that a value of `map:` may have.
  static let mapForms: [PipelineSection] = [.attribute, .constant, .reference, .keyReference, .nested]

  static let attributeFields = [
    FieldSpec("from", .expression, .required, "The expression.", example: "created_at"),
    FieldSpec(
      "nulls", .texts, .derived("the source's `nulls`"), "Texts that mean null in the expression's fields.",
      example: "[\"-\"]"),
    FieldSpec(
      "date", .text, .derived("the source's `dates`"), "How the date is written, as `dates` of the source.",
      example: "epoch-ms"),
    FieldSpec(
      "time-zone", .text, .derived("the source's `time-zone`"), "The zone of dates that name none.",
      example: "\"+02:00\""),
    FieldSpec("default", .constant, .none, "The value where the expression is absent or null.", example: "0"),
    optionalField,
  ]

  private static let optionalField = FieldSpec(
    "optional", .boolean, .value(.boolean(false)),
    "Whether the source need not have the columns: where it has none, the property is left as it is. JSON records need "
      + "not have them anyway; without it, a field that no record has is warned about.",
    example: "true")

  static let constantFields = [
    FieldSpec("value", .constant, .required, "The value: text, number, boolean or null.", example: "unknown")
  ]

  private static let separatorField = FieldSpec(
    "separator", .text, .none,
    "To-many: what stands between keys in a text. Without it the field is a JSON array or holds one key.",
    example: "\";\"")
  private static let missingField = FieldSpec(
    "missing", .choice(MappedReference.Missing.words), .value(.text("reject")),
    "When no object has the key once all steps have run: `reject` the record, or leave the relationship `null`, "
      + "which the report counts.",
    example: "null")

  private static let membersField = FieldSpec(
    "members", .choice(MembersGiven.words), .value(.text("all")),
    "To-many: `all`, what the record names are all members, and others are taken out; or `add`, they are added to those "
      + "that the object has, for files with a record for each member, such as `movie_id,actor_id`. Every record counts "
      + "then, also of several with the same match keys, in their order. It needs `match` of the step, and of nested "
      + "objects, and the defaults of `on-match` and `duplicates`.",
    example: "add")

  static let keyReferenceFields = [
    FieldSpec(
      "key", .expression, .required,
      "The record key of the destination, compared as text; for a to-many relationship one field with all keys.",
      example: "venue_id"),
    separatorField, membersField, missingField, optionalField,
  ]

  static let referenceFields = [
    FieldSpec(
      "match", .texts, .required, "Attributes of the destination that identify an object.",
      example: "[source, externalID]"),
    FieldSpec(
      "from", .expressions, .required,
      "The values of those attributes: as many expressions as there are attributes; for a to-many relationship one field.",
      example: "[\"'osm'\", stop_id]"),
    separatorField, membersField, missingField, optionalField,
  ]

  static let nestedFields = [
    FieldSpec(
      "from", .text, .derived("the record itself, for a composite; a relationship needs it"),
      "The field that holds the object, or the array of objects; or an expression that gives a list, `words(...)` or "
        + "`split(text, separator)`, from any source: each element, read as `.`, becomes an object, but for empty pieces.",
      example: "location"),
    FieldSpec(
      "map", .properties, .required, "Where each property's value comes from, inside the nested object.",
      example: "{ latitude: lat }"),
    FieldSpec(
      "entity", .text, .derived("the relationship's destination"), "The destination or one of its sub-entities.",
      example: "Location"),
    FieldSpec(
      "match", .texts, .value(.texts([])),
      "The properties that tell whether the nested object exists already. Without it each belongs to its owner alone, and is deleted when that has it no more; it stays, and the run warns, where a record of the run is about it too. The elements of a list take over the objects that stood at their places, and mapped properties that an element does not carry get their defaults; one that must have a value and has no default is refused.",
      example: "[identifier]"),
    membersField, optionalField,
  ]
}
