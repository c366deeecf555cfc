import Foundation
import ObjectModel
import Pipelines
import Reports
import StoreInterface

extension Value {
  /// The value as the text of a reject: what a CSV export has for it, cut where it is long.
  var rejectText: String {
    let text =
      switch self {
      case .date(let date): DateText.iso8601(date)
      case .composite(let elements):
        elements.sorted { $0.key.precedesByCodePoint($1.key) }.map { "\($0.key): \($0.value.rejectText)" }
          .joined(separator: ", ")
      default: plainText
      }
    return String(text.prefix(Reject.valueLimit))
  }
}

extension DecodedNode {
  /// The values that a row has for the properties, joined by commas: attributes as `Value.rejectText`, relationships by
  /// the keys of their destinations. A property without a cell in the row gives the empty text.
  func shown(_ properties: [String], row: Int) -> String {
    properties.map { property in
      if let column = plan.column(.attribute(property)) { return value(column: column, row: row).rejectText }
      guard let index = plan.references.firstIndex(where: { $0.property == property }),
        let entry = keys[index].entries.first(where: { Int($0.row) == row && $0.state == .value })
      else { return "" }
      return plan.references[index].shownKey(keys[index], entry)
    }.joined(separator: ", ")
  }

  /// A problem with the match key of a row.
  func matchProblem(_ code: String, row: Int, message: String, hint: String) -> RecordProblem {
    let properties = plan.matchProperties
    return RecordProblem(
      rawOffset: nil, property: properties.joined(separator: "+"), code: code, value: shown(properties, row: row),
      message: message, hint: hint)
  }

  /// The problem of a row that cannot be written because of a uniqueness constraint. The store does not say which one
  /// it is: where the entity has only one beside the match key, it is that.
  func constraintProblem(row: Int) -> RecordProblem {
    let constraints = plan.entity.uniquenessConstraints
    let others = constraints.filter { Set($0) != Set(plan.matchProperties) }
    let isAlone = plan.entity == plan.entity.root && plan.entity.subentities.isEmpty
    // By the match key this entity's objects are found, but not those of entities above it or beside it, which share
    // its table.
    if let match = constraints.first(where: { Set($0) == Set(plan.matchProperties) }), others.isEmpty, !isAlone {
      return RecordProblem(
        rawOffset: nil, property: match.joined(separator: "+"), code: "constraint.conflict",
        value: shown(match, row: row),
        message: "an object of \(plan.entity.root.name) that is no \(plan.entity.name) has the same "
          + match.joined(separator: ", "),
        hint: "objects do not change their entity: mend the data, or import both as one entity")
    }
    let properties = others.count == 1 && (isAlone || constraints.count == 1) ? others[0] : []
    // The other object may be of an entity above this one, or beside it.
    let entity = isAlone ? plan.entity : plan.entity.root
    let what = properties.isEmpty ? "values under a uniqueness constraint" : properties.joined(separator: ", ")
    return RecordProblem(
      rawOffset: nil, property: properties.joined(separator: "+"), code: "constraint.conflict",
      value: shown(properties, row: row), message: "another object of \(entity.name) has the same \(what)",
      hint: "match by that constraint")
  }
}
