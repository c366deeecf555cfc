import Foundation
import Pipelines
import SeedFormats
import StoreInterface

/// Decodes record batches into rows by a plan. Holds no state between batches: any worker may decode any batch.
struct RecordDecoder: Sendable {
  let plan: StepPlan
  /// Notes which fields the records have; nil where that is not needed.
  var seenFields: SeenFields?

  /// - Parameter superseded: records that another record of the same key supersedes.
  func decode(_ records: RecordBatch, file: Int, superseded: SupersededRecords) -> DecodedBatch {
    let batch = RowBatch(entity: plan.root.entity, columns: plan.root.columns, capacity: max(records.count, 1))
    let root = DecodedNode(plan: plan.root, batch: batch)
    let decoded = DecodedBatch(records: records, file: file, root: root)
    // Safety: the records are not filled again while they are decoded; texts that are added to them move their bytes,
    // which the table asks for anew, and never their fields.
    let table = unsafe FieldTable(
      records: records, slices: records.fields, fieldCount: plan.projection.count,
      respectsQuotes: plan.respectsQuotes)
    unsafe seenFields?.note(fieldsOf: table, node: 0, entries: records.count)
    unsafe select(table, decoded, superseded: superseded)
    unsafe NodeDecoder(
      plan: plan.root, table: table, node: root, decoded: decoded, entries: root.records,
      seenFields: seenFields
    ).run()
    decoded.dropProblemRows()
    return decoded
  }

  /// Decides which records become rows: not superseded, and chosen by `where`.
  private func select(_ table: FieldTable, _ decoded: DecodedBatch, superseded: SupersededRecords) {
    let count = decoded.records.count
    if superseded.isEmpty, plan.condition == nil {
      decoded.root.records = (0..<count).map { Int32(truncatingIfNeeded: $0) }
      decoded.root.batch.count = count
      return
    }
    decoded.root.records.reserveCapacity(count)
    let nulls = plan.step.source.nulls.map { Array($0.utf8) }
    for record in 0..<count {
      if !superseded.isEmpty,
        superseded.contains(file: decoded.file, byteOffset: decoded.records.place(ofRecord: record).byteOffset)
      {
        decoded.noteDuplicate()
        continue
      }
      if let condition = plan.condition {
        do {
          let fields = unsafe RecordFields(table: table, entry: record, nulls: nulls)
          switch try unsafe condition.evaluate(fields) {
          case .boolean(true): break
          case .boolean(false), .null, .absent:
            decoded.noteFiltered()
            continue
          case let other:
            let text = try? other.asText()
            let what = text.map { "gives \"\($0.prefix(60))\", which" } ?? "gives a file or a list, which"
            decoded.addProblem(
              ofRecord: record,
              RecordProblem(
                rawOffset: nil, property: "", code: "where.not-a-condition", value: text ?? "",
                message: "where: \(what) is neither true nor false",
                hint: "compare the value with something"))
            continue
          }
        } catch {
          decoded.addProblem(
            ofRecord: record,
            RecordProblem(
              rawOffset: nil, property: "", code: error.code, value: "", message: "where: \(error.message)",
              hint: error.hint ?? ""))
          continue
        }
      }
      decoded.root.records.append(Int32(record))
    }
    decoded.root.batch.count = decoded.root.records.count
  }
}

/// The records that lose against another record with the same key, by file and byte offset.
struct SupersededRecords: Sendable {
  /// Where a record begins: in which file of its source, and at which byte.
  struct Place: Hashable, Sendable {
    let file: Int
    let byteOffset: UInt64
  }

  private var places: Set<Place> = []
  var isEmpty: Bool { places.isEmpty }
  func contains(file: Int, byteOffset: UInt64) -> Bool { places.contains(Place(file: file, byteOffset: byteOffset)) }
  mutating func insert(_ place: Place) { places.insert(place) }
}
