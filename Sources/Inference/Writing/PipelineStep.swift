import ImportEngine
import Pipelines

/// A step of a pipeline file in the making, as text.
struct PipelineStep {
  /// A line of `map`, with those inside it.
  struct Line {
    var property: String
    /// What follows the colon; of nested objects the field.
    var value: String
    var comment: String
    /// Nested objects.
    var inside: [Line]?
    /// The properties that tell nested objects apart.
    var match: [String] = []
    /// Only a proposal: nothing fits, or not well enough.
    var isCommentedOut = false
    /// The field's values, where the line is that of an attribute.
    var column: ColumnProfile?
    /// What the line refers to.
    var reference: Reference?
    /// The field's own name, of arrays and objects.
    var field = ""
  }

  /// The key that a field refers to.
  struct Reference {
    var field: String
    var destination: String
    var key: String
    /// The field's values.
    var column: ColumnProfile
    /// Whether the column has all of the field's values: it has none of those in arrays.
    var isWhole: Bool
    /// Where the field's values are lists of keys, which can become objects themselves.
    var list: String?
  }

  /// A column of an export that gives the source back.
  struct ExportColumn {
    var name: String
    var value: String
  }

  let list: RecordList
  var entity: String
  var match: [String] = []
  var matchComment = ""
  var lines: [Line]
  var columns: [ExportColumn] = []
  /// Fields that are in the store and have no column in an export.
  var unexported: [String] = []
  /// Fields of those that are archives in the store.
  var archives: [String] = []
  /// Lines about the step as a whole.
  var comments: [String] = []
  /// It would not run as it is.
  var isCommentedOut = false
}

extension PipelineStep {
  /// The step of entities that were made for the source.
  init(_ step: StepDraft) {
    self.init(list: step.list, entity: step.entity.name, lines: step.entity.lines.map(Self.line))
    if let key = step.entity.key {
      match = [key.attribute]
      matchComment = key.evidence
    } else if let key = step.entity.compoundKey {
      match = key.properties
      matchComment = key.evidence
    }
    if let absence = step.entity.keyAbsence { comments = [absence, EntityDraft.keyAdvice] }
    addColumns(of: step.entity)
  }

  /// The value of an attribute: an expression alone where there is no more to say.
  static func value(_ expression: String, date: String?, nulls: [String]) -> String {
    guard date != nil || !nulls.isEmpty else { return expression }
    var parts = ["from: \(expression)"]
    // Stated ones take the place of the source's, by which an empty field is null.
    if !nulls.isEmpty { parts.append("nulls: [\(([""] + nulls).map { YAMLText.quoted($0) }.joined(separator: ", "))]") }
    if let date { parts.append("date: \(YAMLText.quoted(date))") }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private static func line(_ line: EntityDraft.Line) -> Line {
    switch line.source {
    case .expression(let expression):
      return Line(
        property: line.property, value: value(expression, date: line.datePattern, nulls: line.nulls),
        comment: line.comment)
    case .reference(let key, let expression):
      return Line(
        property: line.property, value: "{ match: \(YAMLText.name(key)), from: \(expression) }", comment: line.comment)
    case .nested(let field, let entity):
      return Line(property: line.property, value: field, comment: line.comment, inside: entity.lines.map(Self.line))
    }
  }
}
