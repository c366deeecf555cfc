import Seedbed

/// An object as a line of fixtures says it.
struct FixtureRecord {
  /// The value of a relationship in a line.
  enum Target {
    case one(String?)
    case many([String])
  }

  var entity: Entity
  /// The key by which other records refer to it; nil where the line has none.
  var key: String?
  var file: String
  var line: Int
  /// The values that the line states, by positions in `Entity.attributes`.
  var values: [(index: Int, value: Value)] = []
  /// The relationships that the line states, with their destinations.
  var targets: [(relationship: Relationship, target: Target)] = []

  func error(_ message: String, property: String? = nil, hint: String? = nil) -> FixtureError {
    FixtureError(message, hint: hint, file: file, line: line, entity: entity.name, property: property)
  }
}
