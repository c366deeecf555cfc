import ObjectModel
import Pipelines
import StoreInterface

/// Checks of what the model requires of a record as a whole.
extension DecodedBatch {
  /// Drops the rows of records that have problems.
  func dropProblemRows() {
    guard !problems.isEmpty else { return }
    drop(records: problems.keys)
  }

  /// Refuses records that would become new objects but lack something required.
  func refuseIncomplete(isNew: (Int) -> Bool) { refuseIncomplete(root, isNew) }

  private func refuseIncomplete(_ node: DecodedNode, _ isNew: (Int) -> Bool) {
    for (row, found) in node.insertProblems where !isJudgedBySave(node) {
      let record = Int(node.records[Int(row)])
      if isNew(record) { for problem in found { addProblem(ofRecord: record, problem) } }
    }
    for child in node.children { refuseIncomplete(child, isNew) }
  }

  /// Whether only the save decides which rows of a node become new objects: nested rows are matched with stored objects
  /// apart from their records, and rows of the batch may match what others of it bring.
  private func isJudgedBySave(_ node: DecodedNode) -> Bool {
    if node.plan.match.isEmpty { return false }
    return node !== root
      || root.withDescendants.dropFirst().contains {
        !$0.plan.match.isEmpty && $0.plan.entity.root == root.plan.entity.root
      }
  }

  /// What a row of a record lacks to become a new object, where one of the broken rules is about the same property.
  func insertProblem(ofRecord record: Int, breaking rules: [ValidationError.Problem]) -> RecordProblem? {
    for node in root.withDescendants {
      for (row, found) in node.insertProblems where Int(node.records[Int(row)]) == record {
        let problem = found.first { problem in
          rules.contains { $0.property == problem.property && $0.entity == node.plan.entity.name }
        }
        if let problem { return problem }
      }
    }
    return nil
  }

  /// Refuses records that leave a required to-one relationship without a destination. A reference that merely waits
  /// has a key; whether that leads somewhere is found out later.
  func refuseMissingDestinations(isNew: (Int) -> Bool) { refuseMissingDestinations(root, isNew) }

  private func refuseMissingDestinations(_ node: DecodedNode, _ isNew: (Int) -> Bool) {
    func refuse(_ row: Int, _ state: RowBatch.State, _ relationship: Relationship, at rawOffset: UInt32?) {
      let record = Int(node.records[row])
      guard state == .null || state == .absent && isNew(record) && !isJudgedBySave(node) else { return }
      addProblem(
        ofRecord: record, .missingDestination(of: relationship, node.plan.entity.name, at: rawOffset))
    }
    for (index, reference) in node.plan.references.enumerated() where reference.relationship.requiresDestination {
      for entry in node.keys[index].entries {
        refuse(Int(entry.row), entry.state, reference.relationship, at: entry.rawOffset)
      }
    }
    for (index, child) in node.plan.children.enumerated() where child.relationship.requiresDestination {
      for (row, state) in node.childStates[index].enumerated() { refuse(row, state, child.relationship, at: nil) }
    }
    for child in node.children { refuseMissingDestinations(child, isNew) }
  }
}

extension RecordProblem {
  /// A required to-one relationship that leads nowhere.
  static func missingDestination(of relationship: Relationship, _ entity: String, at rawOffset: UInt32?) -> Self {
    RecordProblem(
      rawOffset: rawOffset, entity: entity, property: relationship.name, code: "value.missing", value: "",
      message: "\(entity).\(relationship.name) is required and the record has no destination for it",
      hint: "fill it in, or make the relationship optional in the model")
  }
}
