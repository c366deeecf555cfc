import Foundation
package import ObjectModel

/// A row of a batch as plain values, for insertion through objects.
struct BatchRow {
  /// The cells by column; nil where a cell is absent.
  var cells: [(source: RowBatch.Source, value: Value?)]

  /// Every row of an insertion, checked.
  /// - Throws: `StoreError.failure` for a batch that does not fit the model, what the insertion's source throws.
  static func read(_ insertion: BatchInsertion, model: ManagedObjectModel) throws -> [BatchRow] {
    var rows: [BatchRow] = []
    while let batch = try insertion.next() {
      try insertion.check(batch, model: model)
      for row in 0..<batch.count {
        rows.append(
          BatchRow(cells: batch.columns.indices.map { (batch.columns[$0].source, batch.value($0, row)) }))
      }
    }
    return rows
  }
}

extension BatchInsertion {
  /// Checks that a batch is one of the insertion.
  /// - Throws: `StoreError.failure`.
  package func check(_ batch: RowBatch, model: ManagedObjectModel) throws(StoreError) {
    guard entity.model === model else { throw .failure("\(entity.name) belongs to another model than the store's") }
    if entity.isAbstract { throw .failure("\(entity.name) is abstract; it has no objects") }
    guard batch.entity == entity else {
      throw .failure("a batch of \(batch.entity.name) came to an insertion of \(entity.name)")
    }
    for column in batch.columns {
      switch column.source {
      case .attribute(let path):
        let names = path.keyPathComponents
        guard let whole = entity.attribute(names.first ?? ""), let attribute = whole.element(at: names.dropFirst()),
          attribute.composite == nil, !whole.isTransient, !attribute.isTransient
        else { throw .failure("\(entity.name) has no stored attribute \(path)") }
        if attribute.derivation != nil { throw .failure("\(entity.name).\(path) is derived; the store computes it") }
        guard column.storage == attribute.type.rowBatchStorage else {
          throw .failure("\(entity.name).\(path) cannot be written from \(column.storage) cells")
        }
      case .toOne(let name):
        guard let relationship = entity.relationship(name), !relationship.isToMany,
          !relationship.definition.isTransient
        else { throw .failure("\(entity.name) has no stored to-one relationship \(name)") }
        if let inverse = relationship.inverse, !inverse.isToMany {
          throw .failure(
            "\(entity.name).\(name) is one-to-one with \(inverse.entity.name).\(inverse.name), which a batch insertion "
              + "cannot keep; save objects instead")
        }
      case .toOneEntity(let name), .toOneOrder(let name):
        throw .failure("\(entity.name).\(name): a batch insertion finds entities and order keys itself")
      }
    }
  }
}

extension RowBatch {
  /// The value of a cell: an attribute's, or the primary key of a destination. Nil where the cell is absent.
  package func value(_ column: Int, _ row: Int) -> Value? {
    // Safety: callers keep the column and the row within the batch, and the storage says how the cell is read.
    switch unsafe State(rawValue: states[column][row]) {
    case .null: return .null
    case .value: break
    case .absent, nil: return nil
    }
    guard case .attribute(let path) = columns[column].source else { return unsafe .integer(integers(column)[row]) }
    let names = path.keyPathComponents
    let attribute = entity.attribute(names.first ?? "")?.element(at: names.dropFirst())
    switch columns[column].storage {
    case .integer:
      let number = unsafe integers(column)[row]
      return attribute?.type == .boolean && (number == 0 || number == 1) ? .boolean(number == 1) : .integer(number)
    case .real:
      let number = unsafe reals(column)[row]
      switch attribute?.type {
      case .date: return .date(Date(timeIntervalSinceReferenceDate: number))
      case .float: return .double(Double(Float(number)))
      default: return .double(number)
      }
    case .bytes: return unsafe Self.value(cellBytes(column, row), attribute?.type ?? .string)
    }
  }

  /// Bytes that are no value of the type become data, which breaks the type's rule.
  @unsafe private static func value(_ bytes: UnsafeRawBufferPointer, _ type: AttributeType) -> Value {
    let text = unsafe String(validating: bytes, as: UTF8.self)
    switch type {
    case .string, .undefined, .objectID: if let text { return .string(text) }
    case .uri: if let uri = text.flatMap({ URL(string: $0) }) { return .uri(uri) }
    case .decimal:
      if let number = text.flatMap({ Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }) {
        return .decimal(number)
      }
    case .uuid:
      if bytes.count == 16 { return unsafe .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) }
    default: break
    }
    return unsafe .data(Data(bytes))
  }
}
