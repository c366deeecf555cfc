public import Foundation
public import ObjectModel

extension BatchUpdateRequest {
  /// An update of an entity's objects.
  public convenience init(entity: EntityDescription) { self.init(entity: entity.handle) }
}

extension BatchInsertRequest {
  /// Inserts an object per dictionary.
  public convenience init(entity: EntityDescription, objects: [[String: Any]]) {
    self.init(entity: entity.handle, objects: objects)
  }

  /// Inserts an object for every dictionary that the closure fills.
  public convenience init(
    entity: EntityDescription, dictionaryHandler: @escaping (inout [String: Any]) throws -> Bool
  ) {
    self.init(entity: entity.handle, dictionaryHandler: dictionaryHandler)
  }

  /// Inserts an object for every dictionary that the closure fills.
  @_disfavoredOverload
  public convenience init(
    entity: EntityDescription, dictionaryHandler: @escaping (NSMutableDictionary) throws -> Bool
  ) {
    self.init(entity: entity.handle, dictionaryHandler: dictionaryHandler)
  }

  /// Inserts every object that the closure fills.
  public convenience init(
    entity: EntityDescription, managedObjectHandler: @escaping (ManagedObject) throws -> Bool
  ) {
    self.init(entity: entity.handle, managedObjectHandler: managedObjectHandler)
  }
}
