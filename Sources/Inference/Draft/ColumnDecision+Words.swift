import ObjectModel
import Pipelines

extension ColumnDecision {
  /// The form of a value in an export.
  static func change(_ example: TypeCandidate.Example) -> String {
    "\(bare(example.text)) becomes \(bare(example.exported)) (line \(example.line))"
  }

  /// The text, in quotes only where a reader could not tell where it ends.
  private static func bare(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      $0.isDigit || $0.isLetter || $0 == 45 || $0 == 46
    }
    return isPlain && text.count <= 30 ? text : QuotedSample.text(of: text)
  }

  /// Why a column is text, as far as one type nearly fitted.
  static func reason(_ column: ColumnProfile, mixesEmpties: Bool) -> String {
    if mixesEmpties { return "text: empty and \"\" both occur" }
    if column.triedValues == 0 { return "text" }
    let dates = column.candidates.filter { $0.type == .date && $0.same == column.triedValues }
    if dates.count > 1 {
      let patterns = dates.map { $0.datePattern ?? "ISO 8601" }
      return "text: \(patterns.joined(separator: " and ")) both fit all dates; state `date:` and make it a Date"
    }
    if column.decimalCommas * 2 > column.values, column.decimalCommas > 1 {
      let count =
        column.decimalCommas == column.values
        ? "all \(column.values.grouped)" : "\(column.decimalCommas.grouped) of \(column.values.grouped)"
      return "text: \(count) are numbers with a decimal comma, which number(replace(…)) makes a Double"
    }
    if column.formulas > 0 {
      return "text: \(column.formulas.grouped) of \(column.values.grouped) are formulas of spreadsheets, such as "
        + "=\"001\", of which replace(…) leaves the text"
    }
    let names: [(AttributeType, String)] = [
      (.integer64, "whole number"), (.double, "number"), (.boolean, "boolean"), (.date, "date"), (.uuid, "UUID"),
    ]
    for (type, name) in names {
      for candidate in column.candidates where candidate.type == type {
        let good = candidate.same + candidate.sameValue
        if candidate.refused == 0, candidate.changed > 0, let example = candidate.firstOther, !candidate.isGivenUp {
          return
            "text: \(candidate.changed.grouped) of \(column.values.grouped) would not come back as they are written "
            + "as a \(name) (line \(example.line): \(QuotedSample.text(of: example.text)))"
        }
        guard !candidate.isGivenUp, candidate.refused > 0, good * 2 > column.values,
          let example = candidate.firstRefused
        else { continue }
        return
          "text: \(candidate.refused.grouped) of \(column.values.grouped) \(candidate.refused == 1 ? "is" : "are") no \(name) "
          + "(line \(example.line): \(QuotedSample.text(of: example.text)))"
      }
    }
    return "text"
  }

  /// How many values are markers, and which.
  static func counted(_ column: ColumnProfile) -> String {
    "\(column.markerCount.grouped) of \(column.values.grouped) \(column.markerCount == 1 ? "is" : "are") "
      + NullMarker.listed(column.markerTexts)
  }
}

extension AttributeType {
  /// The type's name with its article, for comments.
  var plainName: String {
    switch self {
    case .integer16, .integer32, .integer64: "an Integer"
    case .uri, .uuid: "a \(name)"
    default: "a \(name)"
    }
  }
}
