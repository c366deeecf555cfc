import ArgumentParser
import Foundation
import ImportPipeline
import ModelFiles
import ObjectModel
import SQLiteStore

/// `seedbed check`
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Will the app open it? Compares a store with a model and checks its integrity.",
    discussion: "Exit code 0 when the store is fit, 65 when it is not. Nothing is changed.")

  @Argument(help: "The store.", completion: .file())
  var store: String

  @OptionGroup var model: ModelOptions

  @Flag(help: "Also require what a read-only app bundle needs: one file, no write-ahead log.")
  var bundle = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    let report: StoreReport
    do {
      let model = try model.read(store: store).model
      var checked = try StoreChecker.check(path: store, model: model)
      checked.notes += model.entities.flatMap { entity in
        entity.unconfirmedHashReasons.map { "the hash of \(entity.name) rests on an unconfirmed rule: \($0)" }
      }
      report = checked
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
    let isFit = report.isCompatible && report.isSound && (!bundle || report.isFitForReadOnlyBundle)
    Terminal.print(json ? Self.json(report, isFit: isFit) : Self.text(report, isFit: isFit))
    if !isFit { throw ExitCode(65) }
  }

  private static func text(_ report: StoreReport, isFit: Bool) -> String {
    var lines = [Terminal.bold("\(report.path): \(isFit ? "fit" : "not fit")"), ""]
    lines += TextTable.lines(
      titles: ["entity", "hash", "expected", "stored", "rows"],
      rows: report.hashes.map { hash in
        [
          hash.entity, hash.matches ? "ok" : "differs", short(hash.expected), short(hash.stored),
          report.rowCounts[hash.entity].map { Format.grouped($0) } ?? "",
        ]
      }, leftAligned: [0, 1, 2, 3])
    lines.append("")
    lines += report.findings.map { finding in
      "problem: \(finding.table)\(finding.column.map { "." + $0 } ?? ""): \(finding.message) (\(finding.count))"
    }
    if report.findings.isEmpty { lines.append("integrity and references: no problems") }
    lines.append(
      report.isFitForReadOnlyBundle
        ? "fit for a read-only bundle: one file, no write-ahead log"
        : "not fit for a read-only bundle: "
          + (report.isWriteAheadLogged
            ? "the journal mode is wal" : "it has sidecars \(report.sidecars.joined(separator: ", "))")
          + "; seedbed copy seals it")
    lines += report.notes.map { "note: \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func json(_ report: StoreReport, isFit: Bool) -> String {
    JSONValue.object([
      ("path", .string(report.path)), ("fit", .boolean(isFit)), ("compatible", .boolean(report.isCompatible)),
      ("sound", .boolean(report.isSound)), ("fitForReadOnlyBundle", .boolean(report.isFitForReadOnlyBundle)),
      ("uuid", .string(report.metadata.uuid)),
      (
        "entities",
        .array(
          report.hashes.map { hash in
            .object([
              ("name", .string(hash.entity)), ("matches", .boolean(hash.matches)),
              ("expected", hash.expected.map { .string(hex($0)) } ?? .null),
              ("stored", hash.stored.map { .string(hex($0)) } ?? .null),
              ("rows", report.rowCounts[hash.entity].map { .integer($0) } ?? .null),
            ])
          })
      ),
      (
        "problems",
        .array(
          report.findings.map { finding in
            .object([
              ("code", .string(finding.code.rawValue)), ("table", .string(finding.table)),
              ("column", finding.column.map { .string($0) } ?? .null), ("count", .integer(finding.count)),
              ("examplePrimaryKey", finding.exampleKey.map { .integer(Int($0)) } ?? .null),
              ("message", .string(finding.message)),
            ])
          })
      ),
      ("notes", .array(report.notes.map { .string($0) })),
    ]).text(isIndented: true)
  }

  private static func hex(_ data: Data) -> String {
    data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  private static func short(_ data: Data?) -> String { data.map { String(hex($0).prefix(12)) } ?? "none" }
}
