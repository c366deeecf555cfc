import ObjectModel
import Pipelines
import StoreInterface

extension PendingReferences {
  /// The rows of a batch whose records cannot stand yet: they refer to something that is not there, or to such a row
  /// of the same batch, directly or through others. Whatever refers to them has to wait as they do.
  ///
  /// Linear in the number of rows and references; only batches with such records pay for it.
  func waitingRows(of decoded: DecodedBatch, unresolved: [UnresolvedReference]) -> Set<UInt64> {
    var found = Set<Int>()
    for reference in unresolved where reference.node.plan.references[reference.reference].mustResolve {
      found.insert(Int(reference.node.records[reference.row]))
    }
    guard !found.isEmpty else { return [] }

    let nodes = decoded.root.withDescendants
    var recordByRow: [UInt64: Int] = [:]
    for node in nodes {
      for (row, key) in node.primaryKeys.enumerated() {
        recordByRow[rootReference(RowReference(primaryKey: key, entityIndex: node.plan.entity.index))] =
          Int(node.records[row])
      }
    }
    // Record → the records of the batch that refer to it.
    var referrers: [Int: [Int]] = [:]
    for node in nodes {
      for (index, reference) in node.plan.references.enumerated() where reference.mustResolve {
        guard let table = tables[reference.table] else { continue }
        let keys = node.keys[index]
        for entry in keys.entries where entry.state == .value {
          guard case .row(let destination) = unsafe keys.withKey(entry, { unsafe table.match($0) }),
            let record = recordByRow[rootReference(destination)]
          else { continue }
          referrers[record, default: []].append(Int(node.records[Int(entry.row)]))
        }
      }
    }
    var next = Array(found)
    while let record = next.popLast() {
      for referrer in referrers[record] ?? [] where found.insert(referrer).inserted { next.append(referrer) }
    }
    return Set(recordByRow.lazy.filter { found.contains($0.value) }.map(\.key))
  }
}
