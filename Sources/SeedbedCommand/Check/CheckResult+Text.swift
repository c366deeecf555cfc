import CoreDataLayout
import Foundation
import ObjectModel
import Pipelines

extension CheckResult {
  /// For people: the entities, what differs, what is wrong, and the answer in one sentence at the end.
  var text: String {
    var lines = [Terminal.bold(report.path) + " · " + comparedWith, ""]
    lines += TextTable.lines(
      titles: ["entity", "hash", "expected", "stored", "rows"],
      rows: report.hashes.map { hash in
        [
          hash.entity, state(hash), hash.expected.shortHash, hash.stored.shortHash,
          report.rowCounts[hash.entity].map { $0.grouped } ?? "",
        ]
      }, leftAligned: [0, 1, 2, 3])
    lines.append("")
    lines += modelLines
    for (word, findings) in [("problem", report.problems), ("warning", report.warnings)] {
      for finding in findings {
        lines += ["\(word): [\(finding.code.rawValue)] \(finding.line)", "  what to do: \(finding.code.advice)"]
      }
    }
    lines += notes.map { "note: \($0.message)" }
    if report.findings.isEmpty && report.rowsWereChecked {
      lines.append("Integrity, references, keys and values: no problems.")
    }
    lines.append(sentence)
    return lines.joined(separator: "\n")
  }

  private var comparedWith: String {
    if case .ownModel = comparison { return "compared with the model that the store carries itself" }
    return "compared with " + (versionName.map { "version \($0) of the given model" } ?? "the given model")
  }

  private func state(_ hash: StoreReport.EntityHash) -> String {
    if hash.stored == nil { return "not in the store" }
    if hash.expected == nil { return "not in the model" }
    return (hash.matches ? "ok" : "differs") + (unconfirmed.contains(hash.entity) ? " (unconfirmed)" : "")
  }

  /// What differs between the models, and whether Core Data could bridge it.
  private var modelLines: [String] {
    guard let differences, let migration else {
      if report.isCompatible { return [] }
      return ["What differs cannot be told, as the model that the store was made with is not known.", ""]
    }
    var lines: [String] = []
    if !madeWith.isEmpty {
      lines = ["The store was made with version \(madeWith.joined(separator: " or "))\(ofExpected).", ""]
    }
    return lines
      + DifferenceText(
        differences: differences, migration: migration, showsAll: showsAll, tellsLosses: verdict?.chain == nil
      ).lines(heading: "What differs, from the model that the store was made with to the given one:")
      + (verdict?.lines ?? [])
  }

  private var ofExpected: String { versionName.map { ", and the given one is \($0)" } ?? "" }
}
