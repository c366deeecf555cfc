public import ObjectModel
public import StoreInterface

extension SQLiteStore {
  public func snapshots(_ request: FetchRequest) throws -> [Snapshot] { throw StoreError.unsupported("later") }
  public func count(_ request: FetchRequest) throws -> Int { throw StoreError.unsupported("later") }
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    throw StoreError.unsupported("later")
  }
  public func save(_ request: SaveRequest) throws { throw StoreError.unsupported("later") }
}
