package import StoreInterface

extension RowBatch.Source {
  /// The name of the property that the column belongs to.
  package var propertyName: String {
    switch self {
    case .attribute(let name), .toOne(let name), .toOneEntity(let name), .toOneOrder(let name): name
    }
  }
}
