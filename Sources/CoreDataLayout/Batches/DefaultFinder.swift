import ObjectModel
import SQLite
import StoreInterface

/// Finds the object that has a new object's unique values, where some of these are defaults of attributes that the row
/// lacks.
final class DefaultFinder {
  private enum Source {
    /// A cell of the row, which may be absent.
    case cell(Int)
    case value(Value, RowPlan.Kind)
  }

  private let plan: RowPlan
  private let sources: [Source]
  private let statement: Statement
  private var binder: RowBinder
  private let writer: StoreWriter

  /// Nil where no row has a default for the constraint.
  init?(_ properties: [String], _ batch: RowBatch, _ plan: RowPlan, _ writer: StoreWriter) throws {
    let entity = plan.entity
    if properties.allSatisfy({ entity.initialValue(at: $0) == .null }) { return nil }
    var sources: [Source] = []
    var columns: [String] = []
    for property in properties {
      let column = batch.columns.firstIndex { $0.source == .attribute(property) || $0.source == .toOne(property) }
      if let column, let cell = plan.cells.firstIndex(where: { $0.source == column }) {
        sources.append(.cell(cell))
        columns.append(plan.cells[cell].name)
      } else if let name = writer.layout.propertyColumn(property, of: entity),
        let unmapped = plan.unmapped.first(where: { $0.name == name }), unmapped.value != .null
      {
        sources.append(.value(unmapped.value, unmapped.kind))
        columns.append(name)
      } else {
        return nil
      }
    }
    self.plan = plan
    self.sources = sources
    self.writer = writer
    binder = try RowBinder(batch, plan: plan, session: writer.session)
    statement = try writer.cached(RowFinder.text(plan, columns: columns, writer.layout))
  }

  /// The row with the values that the new object would have; nil also where the row has all of them itself.
  func find(row: Int) throws -> Int64? {
    var hasDefaults = false
    for (position, source) in sources.enumerated() {
      let parameter = Int32(position + 1)
      switch source {
      case .value(let value, let kind):
        hasDefaults = true
        try ValueCoding.bind(
          value, kind: kind, to: statement, at: parameter, externalData: writer.externalData, seed: 0)
      case .cell(let index):
        let state = binder.state(plan.cells[index].source, row)
        if state == RowBatch.State.null.rawValue { return nil }
        hasDefaults = hasDefaults || state == RowBatch.State.absent.rawValue
        // An absent cell without a default is null, which equals no value.
        try binder.bind(index, row: row, to: statement, at: parameter, key: 0)
      }
    }
    guard hasDefaults else { return nil }
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }
}
