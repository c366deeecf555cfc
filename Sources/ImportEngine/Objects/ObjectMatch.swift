import ObjectGraph
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// The object that a row matches by its match key.
struct ObjectMatch: Sendable {
  /// Nil when there is none.
  var id: ObjectID?
  /// Whether several objects match, so that none can be chosen.
  var isAmbiguous = false

  /// The object's row.
  var row: RowReference? {
    id.flatMap { id in id.primaryKey.map { RowReference(primaryKey: $0, entityIndex: id.entity.index) } }
  }
}

/// The objects that the rows of a batch match.
struct ExistingObjects {
  /// Per row of the root node; nil where there is none.
  var rows: [RowReference?]
  /// Rows that match several objects.
  var ambiguous: [Int] = []
}

extension FetchSpecification {
  /// Selects the objects whose values at the keys are one of the tuples.
  /// - Parameters:
  ///   - tuples: none with a null.
  ///   - names: attributes.
  init(matching tuples: [[Value]], by names: [String], in entity: Entity) {
    self.init(entity)
    let keyPaths = names.map { $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
    if let keyPath = keyPaths.first, keyPaths.count == 1 {
      predicate = .isIn(keyPath, tuples.flatMap { $0 })
    } else {
      predicate = .tupleIsIn(keyPaths, tuples)
    }
  }
}

extension ManagedObjectContext {
  /// The objects whose values at the keys are one of the tuples, with one fetch.
  /// - Parameters:
  ///   - tuples: none with a null.
  ///   - names: attributes.
  func matches(of tuples: [[Value]], by names: [String], entity: Entity) throws -> [ValueTuple: ObjectMatch] {
    if tuples.isEmpty { return [:] }
    var found: [ValueTuple: ObjectMatch] = [:]
    for object in try fetch(FetchSpecification(matching: tuples, by: names, in: entity)) {
      let tuple = ValueTuple(names.map { object.attributeValue($0) })
      if found[tuple] == nil {
        found[tuple] = ObjectMatch(id: object.objectID)
      } else {
        found[tuple]?.isAmbiguous = true
      }
    }
    return found
  }
}

extension DecodedBatch {
  /// Refuses a record whose match key fits several objects: which of them it means cannot be said.
  func noteAmbiguousMatch(of node: DecodedNode, row: Int) {
    let names = node.plan.matchProperties.joined(separator: ", ")
    addProblem(
      ofRecord: Int(node.records[row]),
      node.matchProblem(
        "match.ambiguous", row: row,
        message: "several objects of \(node.plan.entity.name) have this match key (\(names))",
        hint: "match by what is unique, or remove the surplus objects"))
  }
}
