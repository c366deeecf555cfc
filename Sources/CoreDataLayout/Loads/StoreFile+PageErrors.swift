import ObjectModel
import SQLitePages
import StoreInterface

extension StoreFile {
  /// Runs `body` with the errors of the page writer as the store's.
  func mappingPageErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PageError {
      switch error.kind {
      case .inputOutput: throw StoreError.inputOutput(path: path, message: error.message)
      case .unsuitable, .malformed: throw StoreError.failure("\(path): \(error.message)")
      case .duplicateKey:
        let index = layout.indexes.first { $0.name == error.message }
        let rows = error.rows.map(String.init).joined(separator: " and ")
        let message = "rows \(rows) have the same key in \(error.message)"
        guard let constraint = index?.constraint else {
          throw StoreError.constraintConflict(entity: "", constraint: [], message: message)
        }
        let holder = holder(ofAll: constraint.names, constraint.entity)
        let reach =
          holder == constraint.entity
          ? "" : "; the constraint of \(constraint.entity.name) holds for the whole table of \(holder.root.name)"
        throw StoreError.constraintConflict(
          entity: holder.name, constraint: constraint.names, message: message + reach)
      }
    }
  }

  /// The topmost of an entity and its ancestors that has all of these properties: a unique index over their columns is
  /// one over the rows of all that inherit them.
  private func holder(ofAll names: [String], _ entity: Entity) -> Entity {
    var holder = entity
    while let parent = holder.superentity, names.allSatisfy({ layout.propertyColumn($0, of: parent) != nil }) {
      holder = parent
    }
    return holder
  }
}
