import Seedbed

/// An object as a line of fixtures says it.
struct FixtureRecord {
  /// The value of a relationship in a line.
  enum Target {
    case one(String?)
    case many([String])
  }

  var entity: Entity
  /// By which others refer to it; nil where the line has none.
  var key: String?
  var file: String
  var line: Int
  /// By positions in `Entity.attributes`, of those that the line states.
  var values: [(index: Int, value: Value)] = []
  /// By names, of those that the line states.
  var targets: [(relationship: Relationship, target: Target)] = []

  func error(_ message: String, property: String? = nil, hint: String? = nil) -> FixtureError {
    FixtureError(message, hint: hint, file: file, line: line, entity: entity.name, property: property)
  }
}
