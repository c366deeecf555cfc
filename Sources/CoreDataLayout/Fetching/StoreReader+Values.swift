import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Requests for rows by many values of one attribute, which code that finds or creates objects sends. When an index has
/// the values, the rows' keys are read from the index, value by value, and then the rows by their keys. As `IN`, SQLite
/// would need the values in a temporary table, and sort all of the rows.
extension StoreReader {
  /// Fewer values are asked for in one statement.
  private static let leastValueCount = 64
  /// Integers between two wanted ones, at most, that are read along.
  private static let greatestGap: Int64 = 4

  /// Within one transaction, calls a closure with the rows that such a request selects.
  /// - Returns: nil for any other request, and where no index helps.
  func readingByValue<Result>(
    _ request: FetchSpecification, _ body: (KeyedPositions) throws -> Result
  ) throws -> Result? {
    guard case .isIn(let keyPath, let values) = request.predicate, values.count >= Self.leastValueCount,
      keyPath.count == 1, request.sortDescriptors.isEmpty, request.fetchLimit <= 0, request.fetchOffset <= 0,
      request.entity.superentity == nil, request.entity.subentities.isEmpty,
      let attribute = request.entity.attribute(keyPath[0]), attribute.composite == nil, !attribute.isTransient,
      let column = file.layout.column(for: keyPath[0], of: request.entity),
      // A log of statements is to say what was asked for.
      !session.connection.isTraced
    else { return nil }
    let table = file.layout.table(for: request.entity).name
    let find: (String) throws -> [Int64]
    let condition: String
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      var numbers: [Int64] = []
      numbers.reserveCapacity(values.count)
      for value in values {
        guard case .integer(let number) = value else { return nil }
        numbers.append(number)
      }
      if !zip(numbers, numbers.dropFirst()).allSatisfy({ $0 <= $1 }) { numbers.sort() }
      condition = "\(column.name) BETWEEN ?1 AND ?2 ORDER BY \(column.name)"
      find = { try self.keys($0, ofRowsWith: numbers) }
    case .string:
      var texts: [String] = []
      texts.reserveCapacity(values.count)
      for value in values {
        guard case .string(let text) = value else { return nil }
        texts.append(text)
      }
      condition = "\(column.name) = ?1"
      find = { try self.keys($0, ofRowsWith: texts) }
    default: return nil
    }
    let select = "SELECT Z_PK, \(column.name) FROM \(table) WHERE \(condition)"
    let ownsTransaction = !session.connection.isInTransaction
    if ownsTransaction { try session.connection.begin(.deferred) }
    // The transaction has only read, so an error of the commit loses nothing.
    defer { if ownsTransaction { try? session.connection.commit() } }
    guard try isSearched(select) else { return nil }
    return try body(KeyedPositions(request.entity, keys: find(select)))
  }

  /// Whether SQLite finds the rows in an index, without a temporary tree for their order.
  private func isSearched(_ select: String) throws -> Bool {
    // The statement also takes the read lock, so the rows do not change until the transaction ends.
    let pragma = try session.cached("PRAGMA schema_version")
    defer { pragma.reset() }
    let version = try pragma.step() ? pragma.int64(at: 0) : 0
    if let known = searches[select], known.schemaVersion == version { return known.isIndexed }
    // This statement loads the present schema; EXPLAIN alone would use the schema that the connection knew.
    let tables = try session.cached("SELECT 1 FROM sqlite_master LIMIT 1")
    defer { tables.reset() }
    _ = try tables.step()
    let lines = try QueryPlan(session.connection, select).lines
    let isIndexed = lines.count == 1 && lines[0].text.hasPrefix("SEARCH ") && lines[0].text.contains(" INDEX ")
    searches[select] = (version, isIndexed)
    return isIndexed
  }

  /// The integer that the second column equals; nil for a fraction, a text or bytes that another program wrote.
  private func integer(_ statement: Statement) -> Int64? {
    switch statement.type(at: 1) {
    case .integer: statement.int64(at: 1)
    case .real: Int64(exactly: statement.double(at: 1))
    default: nil
    }
  }

  /// - Parameter numbers: in ascending order.
  private func keys(_ select: String, ofRowsWith numbers: [Int64]) throws -> [Int64] {
    let statement = try session.cached(select)
    defer { statement.reset() }
    var keys: [Int64] = []
    var next = 0
    while next < numbers.count {
      var end = next + 1
      while end < numbers.count,
        KeyedPositions.areNear(numbers[end - 1], numbers[end], within: Self.greatestGap)
      {
        end += 1
      }
      statement.reset()
      try statement.bind(1, numbers[next])
      try statement.bind(2, numbers[end - 1])
      while try statement.step() {
        guard let number = integer(statement) else { continue }
        while next < end && numbers[next] < number { next += 1 }
        if next < end && numbers[next] == number { keys.append(statement.int64(at: 0)) }
      }
      next = end
    }
    return keys
  }

  private func keys(_ select: String, ofRowsWith texts: [String]) throws -> [Int64] {
    let statement = try session.cached(select)
    defer { statement.reset() }
    var keys: [Int64] = []
    for text in texts {
      statement.reset()
      try statement.bind(1, text)
      while try statement.step() { keys.append(statement.int64(at: 0)) }
    }
    return keys
  }
}
