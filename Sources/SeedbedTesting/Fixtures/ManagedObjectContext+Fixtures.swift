public import Seedbed

extension ManagedObjectContext {
  /// Inserts objects of one entity, written as NDJSON; see `Fixtures`.
  /// - Returns: the objects by their record keys.
  /// - Throws: `FixtureError` with the line and the property of the first mistake; nothing is inserted then.
  @discardableResult
  public func insertFixtures(ndjson: String, entityName: String) throws -> [String: ManagedObject] {
    var fixtures = Fixtures(coordinator.model)
    try fixtures.add(ndjson, entityName: entityName)
    return try fixtures.insert(into: self)
  }

  /// Inserts the objects of a file that is named after their entity, or of all such files in a folder, such as a dump;
  /// see `Fixtures`.
  /// - Returns: the objects by their record keys.
  /// - Throws: `FixtureError` with the file, the line and the property of the first mistake; nothing is inserted then.
  @discardableResult
  public func insertFixtures(contentsOf url: URL) throws -> [String: ManagedObject] {
    var fixtures = Fixtures(coordinator.model)
    try fixtures.add(contentsOf: url)
    return try fixtures.insert(into: self)
  }
}
