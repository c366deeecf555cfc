public import ObjectModel

extension AttributeType {
  /// How cells of this type are kept in a row batch.
  public var rowBatchStorage: RowBatch.Storage {
    switch self {
    case .integer16, .integer32, .integer64, .boolean: .integer
    case .double, .float, .date: .real
    case .undefined, .decimal, .string, .binary, .uuid, .uri, .transformable, .objectID, .composite: .bytes
    }
  }
}
