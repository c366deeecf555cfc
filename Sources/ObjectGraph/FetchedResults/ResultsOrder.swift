import ObjectModel
import StoreInterface

/// The order of objects in results, as a fetch with pending changes has it: by the sort descriptors, then by primary
/// key, new objects last in the order of their insertion.
struct ResultsOrder {
  private let descriptors: [FetchSortDescriptor]
  private let context: ManagedObjectContext
  /// Where new objects stand among those of the context.
  private var ranks: [ManagedObject: Int]?
  /// The objects' own attributes that the descriptors ask for, in the entity asked last; nil for other key paths.
  private var columns: [Int?] = []
  private var columnsOwner: EntityRuntime?
  /// Whether equal objects were compared whose order of insertion only the parent has.
  private(set) var isUndecided = false

  init(_ descriptors: [FetchSortDescriptor], in context: ManagedObjectContext) {
    self.descriptors = descriptors
    self.context = context
  }

  /// An object with its values at the sort descriptors.
  struct Keyed {
    let object: ManagedObject
    fileprivate let values: [Value]
  }

  mutating func keyed(_ object: ManagedObject) -> Keyed {
    Keyed(object: object, values: descriptors.indices.map { value(of: object, $0) })
  }

  private mutating func value(of object: ManagedObject, _ descriptor: Int) -> Value {
    let runtime = object.runtime
    if columnsOwner !== runtime {
      columnsOwner = runtime
      columns = descriptors.map { descriptor in
        descriptor.keyPath.count == 1 ? runtime.layout.attributeIndexes[descriptor.keyPath[0]] : nil
      }
    }
    if let column = columns[descriptor] { return object.value(at: column) }
    return ObjectSubject(object: object).value(at: descriptors[descriptor].keyPath)
  }

  mutating func isBefore(_ left: Keyed, _ right: Keyed) -> Bool {
    descriptors.precedes({ left.values[$0] }, { right.values[$0] }) ?? isTieBefore(left.object, right.object)
  }

  /// Whether an object stands before another one; its values are read as far as they are needed.
  mutating func isBefore(_ left: ManagedObject, _ right: Keyed) -> Bool {
    descriptors.precedes({ value(of: left, $0) }, { right.values[$0] }) ?? isTieBefore(left, right.object)
  }

  private mutating func isTieBefore(_ left: ManagedObject, _ right: ManagedObject) -> Bool {
    let keys = (left.objectID.primaryKey ?? .max, right.objectID.primaryKey ?? .max)
    guard keys.0 == keys.1, left !== right else { return keys.0 < keys.1 }
    let ranks = (rank(left), rank(right))
    if max(ranks.0, ranks.1) == .max { isUndecided = true }
    return ranks.0 < ranks.1
  }

  private mutating func rank(_ object: ManagedObject) -> Int {
    if let ranks { return ranks[object] ?? .max }
    let all = Dictionary(
      context.pending.inserted.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    ranks = all
    return all[object] ?? .max
  }
}
