import ObjectModel
import Pipelines
import StoreInterface

/// Inserts the rows of new objects with their to-many relationships. Primary keys are handed out first, so that
/// references inside a batch resolve at once.
final class RowTreeInserter {
  let target: any ImportTarget
  let tables: KeyTables
  private var orderKeys = OrderKeyCounter()

  init(target: any ImportTarget, tables: KeyTables) {
    self.target = target
    self.tables = tables
  }

  /// Gives every row of the batch a primary key, in input order, and enters it in the key tables.
  func assignKeys(_ node: DecodedNode) throws {
    let count = node.batch.count
    if count > 0 {
      let first = try target.reservePrimaryKeys(count, for: node.plan.entity)
      node.numberRows(from: first)
      tables.register(node)
    } else {
      node.setPrimaryKeys([])
    }
    for child in node.children { try assignKeys(child) }
  }

  /// Writes all rows of the batch.
  func write(_ root: DecodedNode) throws {
    NestedKeys.link(root)
    try insert(root)
  }

  private func insert(_ node: DecodedNode) throws {
    orderKeys.fill(node.batch)
    if node.batch.count > 0 {
      try target.insert(node.batch, primaryKeys: node.primaryKeys)
    }
    for child in node.children { try insert(child) }
    for (index, reference) in node.plan.references.enumerated() where reference.relationship.isToMany {
      let pairs = node.links[index].map { link in
        (owner: node.primaryKeys[link.row], destination: link.destination.primaryKey)
      }
      if !pairs.isEmpty {
        // An ordered list sets the order of all its members, also of those that came from the other side.
        try target.link(reference.relationship, pairs: pairs, replacing: reference.relationship.isOrdered)
      }
    }
    for (index, child) in node.plan.children.enumerated() where child.relationship.isToMany {
      if let inverse = child.relationship.inverse, !inverse.isToMany { continue }
      let nested = node.children[index]
      let pairs = (0..<nested.batch.count).map { row in
        (owner: node.primaryKeys[Int(nested.owners[row])], destination: nested.primaryKeys[row])
      }
      if !pairs.isEmpty { try target.link(child.relationship, pairs: pairs, replacing: false) }
    }
  }
}
