/// Puts a keyed archive together, object by object, in the shape that `NSKeyedArchiver` gives it. Equal calls give
/// equal bytes.
///
/// An object may refer to itself and to others that are described later: `reserve()` gives a reference, and
/// `describe(_:as:_:)` says what stands there.
package struct KeyedArchiveBuilder {
  /// An object of the archive, by its place in the list of objects.
  package struct Reference: Hashable {
    fileprivate let index: Int
    /// The reference to no object, which the archive holds at index 0.
    package static let null = Reference(index: 0)
  }

  /// The value of a field of an object.
  package enum Field {
    /// A value that stands in the object itself.
    case plain(PropertyListValue)
    case object(Reference)
    case objects([Reference])
  }

  private var list = BinaryPropertyListWriter()
  /// The objects of the archive, by their numbers in the property list.
  private var objects: [Int]
  private var classes: [String: Reference] = [:]
  /// By their bytes: `String` takes normal forms of Unicode for equal.
  private var strings: [[UInt8]: Reference] = [:]

  package init() { objects = [list.add(plain: .string("$null"))] }

  /// A place for an object that is described later.
  package mutating func reserve() -> Reference {
    objects.append(0)
    return Reference(index: objects.count - 1)
  }

  /// Adds a text; equal ones are one object.
  package mutating func add(string: String) -> Reference {
    let bytes = Array(string.utf8)
    if let known = strings[bytes] { return known }
    let reference = add(plain: .string(string))
    strings[bytes] = reference
    return reference
  }

  /// Adds a value of a property list as an object.
  package mutating func add(plain value: PropertyListValue) -> Reference {
    let reference = reserve()
    objects[reference.index] = list.add(plain: value)
    return reference
  }

  /// Adds an object with its fields.
  package mutating func add(_ kind: ArchiveClass, _ fields: [(key: String, value: Field)]) -> Reference {
    let reference = reserve()
    describe(reference, as: kind, fields)
    return reference
  }

  /// Says what a reserved object is.
  package mutating func describe(
    _ reference: Reference, as kind: ArchiveClass, _ fields: [(key: String, value: Field)]
  ) {
    var entries: [(key: String, value: Int)] = []
    entries.reserveCapacity(fields.count + 1)
    for field in fields { entries.append((field.key, number(of: field.value))) }
    entries.append(("$class", list.add(uid: description(of: kind).index)))
    objects[reference.index] = list.add(dictionary: entries)
  }

  private mutating func number(of field: Field) -> Int {
    switch field {
    case .plain(let value): list.add(plain: value)
    case .object(let reference): list.add(uid: reference.index)
    case .objects(let references): list.add(array: references.map { list.add(uid: $0.index) })
    }
  }

  private mutating func description(of kind: ArchiveClass) -> Reference {
    if let known = classes[kind.rawValue] { return known }
    let reference = reserve()
    classes[kind.rawValue] = reference
    let names = kind.lineage.map { PropertyListValue.string($0) }
    objects[reference.index] = list.add(dictionary: [
      ("$classes", list.add(plain: .array(names))), ("$classname", list.add(plain: .string(kind.rawValue))),
    ])
    return reference
  }

  /// The whole archive, with its outermost object. Every reserved object must be described.
  package mutating func bytes(root: Reference) -> [UInt8] {
    let root = list.add(uid: root.index)
    let outermost = list.add(dictionary: [
      ("$version", list.add(plain: .integer(100_000))), ("$archiver", list.add(plain: .string("NSKeyedArchiver"))),
      ("$top", list.add(dictionary: [("root", root)])), ("$objects", list.add(array: objects)),
    ])
    return list.bytes(root: outermost)
  }
}

extension ArchiveClass {
  /// The class and those above it, as an archive lists them.
  fileprivate var lineage: [String] {
    let parents: [String] =
      switch self {
      case .attribute, .relationship, .fetchedProperty, .expressionProperty: ["NSPropertyDescription"]
      case .derivedAttribute, .compositeAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
      case .fetchRequest: ["NSPersistentStoreRequest"]
      case .mutableArray: ["NSArray"]
      case .mutableSet: ["NSSet"]
      case .mutableDictionary: ["NSDictionary"]
      case .knownKeysDictionary: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
      case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
      case .mutableString: ["NSString"]
      case .mutableData: ["NSData"]
      case .decimalNumber: ["NSNumber", "NSValue"]
      case .decimalNumberPlaceholder: ["NSDecimalNumber", "NSNumber", "NSValue"]
      case .truePredicate, .falsePredicate, .comparisonPredicate, .compoundPredicate: ["NSPredicate"]
      case .keyPathExpression: ["NSFunctionExpression", "NSExpression"]
      case .selfExpression, .variableExpression, .constantExpression, .keyPathSpecifier, .functionExpression,
        .aggregateExpression, .fetchExpression:
        ["NSExpression"]
      case .comparisonOperator, .equalityOperator, .inOperator, .betweenOperator: ["NSPredicateOperator"]
      case .matchingOperator, .likeOperator, .substringOperator: ["NSStringPredicateOperator", "NSPredicateOperator"]
      case .model, .entity, .propertyProxy, .fetchIndex, .fetchIndexElement, .sortDescriptor, .array, .set, .dictionary,
        .null, .string, .data, .date, .uuid, .url:
        []
      }
    return [rawValue] + parents + ["NSObject"]
  }
}
