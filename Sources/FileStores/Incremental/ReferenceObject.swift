import ObjectModel

/// The identity of an object in a program's own store: a record's key, a row number, a URL's path.
public enum ReferenceObject: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  case string(String)
  case integer(Int64)

  /// A reference by text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A reference by number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Texts are equal when their bytes are.
  public static func == (left: ReferenceObject, right: ReferenceObject) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)):
      left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    case (.integer(let left), .integer(let right)): left == right
    default: false
    }
  }

  /// Hashes a text by its bytes, so that equal references have equal hashes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .integer(let number): hasher.combine(number)
    }
  }
}

/// Which reference object has which primary key, for as long as a store is open.
struct ReferenceTable {
  private struct Reference: Hashable {
    var entity: Int
    var object: ReferenceObject
  }
  private struct Row: Hashable {
    var root: Int
    var primaryKey: Int64
  }

  private var keys: [Reference: Int64] = [:]
  private var references: [Row: Reference] = [:]
  /// Root entity's index → the greatest key given out.
  private var greatestKeys: [Int: Int64] = [:]

  mutating func reserve(_ count: Int, for entity: Entity) -> Int64 {
    let greatest = greatestKeys[entity.root.index, default: 0]
    greatestKeys[entity.root.index] = greatest + Int64(count)
    return greatest + 1
  }

  /// The key of an object, given out now if it has none.
  mutating func key(of object: ReferenceObject, entity: Entity) -> Int64 {
    let reference = Reference(entity: entity.index, object: object)
    if let key = keys[reference] { return key }
    let key = reserve(1, for: entity)
    keys[reference] = key
    references[Row(root: entity.root.index, primaryKey: key)] = reference
    return key
  }

  func reference(of key: Int64, entity: Entity) -> ReferenceObject? {
    guard let found = references[Row(root: entity.root.index, primaryKey: key)], found.entity == entity.index else {
      return nil
    }
    return found.object
  }

  /// The key that an object has, if any.
  func knownKey(of object: ReferenceObject, entity: Entity) -> Int64? {
    keys[Reference(entity: entity.index, object: object)]
  }

  mutating func remove(_ key: Int64, entity: Entity) {
    guard let old = references.removeValue(forKey: Row(root: entity.root.index, primaryKey: key)) else { return }
    if keys[old] == key { keys[old] = nil }
  }

  /// Gives a key another object, or its first one.
  mutating func set(_ object: ReferenceObject, for key: Int64, entity: Entity) {
    remove(key, entity: entity)
    let reference = Reference(entity: entity.index, object: object)
    keys[reference] = key
    references[Row(root: entity.root.index, primaryKey: key)] = reference
    greatestKeys[entity.root.index] = max(greatestKeys[entity.root.index, default: 0], key)
  }
}
