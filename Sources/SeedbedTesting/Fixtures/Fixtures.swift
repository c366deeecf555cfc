import Platform
import SeedFormats
public import Seedbed

/// Objects written as NDJSON, for tests: in the form in which `seedbed dump` writes a store, so that a dumped store, or
/// a part of it, is a fixture.
///
///     var fixtures = Fixtures(model)
///     try fixtures.add(#"{"_id":"emma","title":"Emma","author":"jane"}"#, entityName: "Book")
///     try fixtures.add(#"{"_id":"jane","name":"Jane Austen"}"#, entityName: "Person")
///     let objects = try fixtures.insert(into: context)
///
/// `_id` has an object's *record key*, any text; relationships name the keys of their objects, lists of them where they
/// are to-many, and one side is enough. Dates are ISO 8601, binary values base64, composites objects. A property that a
/// line leaves out has the model's default value; null is no value.
public struct Fixtures {
  private let model: ManagedObjectModel
  private var records: [FixtureRecord] = []

  /// Fixtures of a model, without objects.
  public init(_ model: ManagedObjectModel) { self.model = model }

  /// How many objects there are.
  public var count: Int { records.count }

  /// Adds objects of one entity.
  /// - Parameters:
  ///   - ndjson: a JSON object on each line.
  ///   - entityName: the entity of all of them.
  /// - Throws: `FixtureError` with the line and the property of the first mistake.
  public mutating func add(_ ndjson: String, entityName: String) throws {
    let reader = try FixtureReader(try entity(entityName, file: nil), file: entityName)
    records += try reader.records(MemorySource(Data(ndjson.utf8)))
  }

  /// Adds the objects of a file, which is named after their entity, or of all such files in a folder: `Book.ndjson`, or
  /// `Book.ndjson.gz`. Other files of a folder are ignored, and so is the file of what a dump has left out.
  /// - Throws: `FixtureError` with the file, the line and the property of the first mistake.
  public mutating func add(contentsOf url: URL) throws {
    guard FileSystem.exists(url.path) else { throw FixtureError("there is no such file", file: url.path) }
    guard FileSystem.isFolder(url.path) else { return try addFile(url) }
    let names: [String]
    do throws(SystemError) {
      names = try FileSystem.listing(of: url.path).sorted()
    } catch {
      throw FixtureError(error.message, file: url.path)
    }
    for name in names where Self.entityName(of: name) != nil && Self.entityName(of: name) != "left-out" {
      try addFile(url.appending(path: name))
    }
  }

  private mutating func addFile(_ url: URL) throws {
    guard let name = Self.entityName(of: url.lastPathComponent) else {
      throw FixtureError(
        "the name does not say an entity", hint: "name the file after the entity: Book.ndjson, Book.ndjson.gz",
        file: url.path)
    }
    let reader = try FixtureReader(try entity(name, file: url.path), file: url.path)
    do {
      records += try reader.records(FileBlockSource(path: url.path))
    } catch let error as SeedFormatError {
      throw FixtureError(error.message, hint: error.hint, file: url.path)
    }
  }

  private static func entityName(of file: String) -> String? {
    for suffix in [".ndjson", ".ndjson.gz"] where file.hasSuffix(suffix) {
      var name = file.dropLast(suffix.count)
      // A dump puts a hyphen after a name that differs from another one in its case alone.
      while name.last == "-" { name.removeLast() }
      return String(name)
    }
    return nil
  }

  private func entity(_ name: String, file: String?) throws(FixtureError) -> Entity {
    guard let entity = model.handles.first(where: { $0.name == name }) else {
      throw FixtureError(
        "the model has no entity \"\(name)\"",
        hint: "it has \(model.handles.map(\.name).joined(separator: ", "))", file: file)
    }
    if entity.isAbstract { throw FixtureError("the entity is abstract and has no objects", file: file, entity: name) }
    return entity
  }

  /// Inserts all objects, with their relationships. They are saved with the context. When something is wrong with them,
  /// none is inserted.
  /// - Returns: the objects by their record keys; those without keys are in the context alone.
  /// - Throws: `FixtureError` for keys that are there twice, or lead nowhere or to another entity's object.
  @discardableResult
  public func insert(into context: ManagedObjectContext) throws -> [String: ManagedObject] {
    try context.performAndWait {
      guard context.coordinator.model === model else {
        throw FixtureError("the context has another model instance than the fixtures", hint: "make both of one model")
      }
      let links = try FixtureLinks(records)
      var objects: [ManagedObject] = []
      var byKey: [String: ManagedObject] = [:]
      for record in records {
        let object = context.insert(record.entity)
        for (index, value) in record.values { object.setValue(value, at: index) }
        objects.append(object)
        if let key = record.key { byKey[key] = object }
      }
      for (position, record) in records.enumerated() {
        for (relationship, target) in record.targets {
          switch links.positions(target) {
          case .one(let other): objects[position].setObject(other.map { objects[$0] }, for: relationship.name)
          case .many(let others):
            let members = others.map { objects[$0] }
            // The other side may have said some already.
            let known = try objects[position].objects(for: relationship.name).filter { !members.contains($0) }
            try objects[position].setObjects(members + known, for: relationship.name)
          }
        }
      }
      return byKey
    }
  }
}
