import ObjectModel
import Pipelines
import StoreInterface

/// Gives the rows of nested objects their foreign keys, once all rows of a record have primary keys.
enum NestedKeys {
  /// Fills the foreign keys between a node and its children, all the way down.
  static func link(_ node: DecodedNode) {
    for (index, child) in node.plan.children.enumerated() {
      let nested = node.children[index]
      let inverse = child.relationship.inverse
      if !child.relationship.isToMany, let column = node.plan.column(.toOne(child.property)) {
        let entityColumn = node.plan.column(.toOneEntity(child.property))
        for row in 0..<node.batch.count {
          // Safety: the batch was made with the columns of the node's plan, and `row` is under its count.
          unsafe node.batch.states[column][row] = node.childStates[index][row].rawValue
        }
        for nestedRow in 0..<nested.batch.count {
          let owner = Int(nested.owners[nestedRow])
          set(node.batch, column, owner, nested.primaryKeys[nestedRow])
          if let entityColumn { set(node.batch, entityColumn, owner, Int64(nested.plan.entity.index)) }
        }
      }
      if let inverse, !inverse.isToMany, let column = nested.plan.column(.toOne(inverse.name)) {
        let entityColumn = nested.plan.column(.toOneEntity(inverse.name))
        for nestedRow in 0..<nested.batch.count {
          let owner = Int(nested.owners[nestedRow])
          set(nested.batch, column, nestedRow, node.primaryKeys[owner])
          if let entityColumn { set(nested.batch, entityColumn, nestedRow, Int64(node.plan.entity.index)) }
        }
      }
      link(nested)
    }
  }

  private static func set(_ batch: RowBatch, _ column: Int, _ row: Int, _ value: Int64) {
    // Safety: `column` is an integer column of the batch, and `row` one of its rows: an owner is one too, as
    // `DecodedNode.keep` renumbers owners when rows go.
    unsafe batch.integers(column)[row] = value
    unsafe batch.states[column][row] = RowBatch.State.value.rawValue
  }
}
