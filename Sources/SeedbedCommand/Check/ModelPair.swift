import Foundation
import ImportEngine
import ModelFiles
import ObjectModel
import Pipelines
import StoreModels

/// The result of `check` for two models, or two versions of one: whether a store of either opens with the other.
struct ModelPair {
  let oldPath: String
  let newPath: String
  let old: ModelFile
  let new: ModelFile
  let showsAll: Bool
  let differences: [ModelDifference]
  let migration: LightweightMigration

  init(oldPath: String, newPath: String, newVersion: String?, showsAll: Bool) throws {
    self.oldPath = oldPath
    self.newPath = newPath
    self.showsAll = showsAll
    old = try StoreModel.readFile(path: oldPath)
    new = try StoreModel.readFile(path: newPath, version: newVersion)
    differences = old.model.differences(to: new.model)
    migration = old.model.lightweightMigration(to: new.model)
  }

  /// Whether the version hashes are the same, so that a store of one opens with the other as it is.
  var areEqual: Bool { old.model.entityVersionHashesByName == new.model.entityVersionHashesByName }

  private var hashes: [(name: String, old: Data?, new: Data?)] {
    let (first, second) = (old.model.entityVersionHashesByName, new.model.entityVersionHashesByName)
    return Set(first.keys).union(second.keys).sorted().map { ($0, first[$0], second[$0]) }
  }

  private var sentence: String {
    if areEqual { return "Equal: a store of either model opens with the other as it is." }
    let count = hashes.count { $0.old != $0.new }
    return "Different: the version hashes of \(count.counted("entity differ", "entities differ")), so a store "
      + "must be migrated to open with the other model."
  }

  var text: String {
    var lines = [""]
    let changed = hashes.filter { $0.old != $0.new }
    if !changed.isEmpty {
      lines += TextTable.lines(
        titles: ["entity", "hash", "first", "second"],
        rows: changed.map { row in
          let state = row.old == nil ? "only in the second" : row.new == nil ? "only in the first" : "differs"
          return [row.name, state, row.old.shortHash, row.new.shortHash]
        }, leftAligned: [0, 1, 2, 3])
      lines.append("")
    }
    let (grave, _) = differences.parted
    if !areEqual && grave.isEmpty {
      lines += ["The version hashes differ, though nothing that is known to enter them does.", ""]
    }
    lines += DifferenceText(differences: differences, migration: migration, showsAll: showsAll).lines(
      heading: "What differs and matters to stores, from the first model to the second:")
    lines += warnings.map { "note: \($0)" }
    lines.append(sentence)
    return "\(name(oldPath, old)) → \(name(newPath, new))\n" + HarmlessText.of(lines.joined(separator: "\n"))
  }

  private func name(_ path: String, _ file: ModelFile) -> String {
    let last = (path as NSString).lastPathComponent
    let isNamed = file.versionName.isEmpty || last == file.versionName || last.hasPrefix(file.versionName + ".")
    return Terminal.bold(HarmlessText.of(path)) + HarmlessText.of(isNamed ? "" : " (\(file.versionName))")
  }

  private var warnings: [String] {
    [(oldPath, old), (newPath, new)].flatMap { path, file in file.warnings.map { "\(path): \($0.shortDescription)" } }
  }

  /// The comparison as JSON, for programs; docs/CHECK.md describes it.
  var json: String {
    func side(_ path: String, _ file: ModelFile) -> JSONValue {
      .object([
        ("path", .string(path)), ("version", .orNullIfEmpty(file.versionName)),
        ("versionHashesDigest", .string(file.model.versionHashesDigest)),
        ("versionChecksum", .string(file.model.versionChecksum)),
      ])
    }
    let (grave, others) = differences.parted
    return JSONValue.object([
      ("first", side(oldPath, old)), ("second", side(newPath, new)), ("equal", .boolean(areEqual)),
      ("answer", .string(sentence)),
      (
        "entities",
        .array(
          hashes.map { row in
            .object([
              ("name", .string(row.name)), ("matches", .boolean(row.old == row.new)),
              ("first", .orNull(row.old?.hexadecimal)),
              ("second", .orNull(row.new?.hexadecimal)),
            ])
          })
      ),
      ("differences", .array((grave + others).map(\.json))),
      ("lightweightMigration", areEqual ? .null : migration.json),
      ("notes", .array(warnings.map { .object([("code", .string("model")), ("message", .string($0))]) })),
    ]).text(isIndented: true)
  }
}
