import Foundation
import ObjectModel
import StoreInterface
import Synchronization

/// What contexts need of an entity, computed once per container.
///
/// What its unsafe code relies on: `choice` is written inside `choosing` only, and only before `isChosen` is set, which
/// is never cleared. It is read only after `isChosen` was seen set, or for an object, which was made after that.
@safe final class EntityRuntime: @unchecked Sendable {
  let layout: EntityLayout
  private let attributeNames: AttributeNames
  let validators: [AttributeValidator]
  /// The rule that decides most values, for each attribute.
  let plainRules: [AttributeValidator.PlainRule]
  /// For each attribute, whether `normalized` may change a value.
  let isNormalized: [Bool]
  let defaultValues: [Value]
  private let hasDefaults: Bool
  /// The `defaultValues` for a new object. Mostly they are all null, and to make a list of that takes less than to copy
  /// one when its first value is set.
  var newValues: [Value] { hasDefaults ? defaultValues : Array(repeating: .null, count: defaultValues.count) }
  /// The class of the entity's objects, and whether it is a subclass.
  private struct ClassChoice {
    var objectClass: ManagedObject.Type
    var isSubclass: Bool
  }
  @unsafe private let choice: UnsafeMutablePointer<ClassChoice>
  /// Whether the class cannot change any more: it was stated, or chosen later, or there are objects.
  private let isChosen: Atomic<Bool>
  private let choosing = Mutex(())
  /// `Relationship.hasCountLimit` of each relationship.
  let hasCountLimit: [Bool]
  /// Facts about a relationship that are needed often.
  struct Link {
    let isToMany: Bool
    let isOptional: Bool
    /// `Entity.index` of the destination.
    let destinationIndex: Int
    let isInverseToMany: Bool
    /// The position of the inverse among the relationships of the destination.
    let inverseIndex: Int?
  }
  let links: [Link]
  /// Whether the store computes some of the values.
  let hasDerivedAttributes: Bool
  let hasBinaryAttributes: Bool
  /// The destinations of a new object: nil for every relationship.
  let emptyDestinations: [ObjectID?]
  /// The member lists of a new object: an empty list for every to-many relationship.
  let emptyMemberLists: [MemberList?]
  /// Whether there is a to-many relationship.
  let hasToMany: Bool
  /// Positions of transient attributes.
  let transientAttributes: [Int]
  let transientProperties: PropertySet
  /// Whether a `PropertySet` can name every property of an object, because they are few enough and each is one column.
  let tellsPropertiesApart: Bool
  var entity: Entity { layout.entity }
  /// Whether the entity itself has no objects.
  let isAbstract: Bool

  /// The position of the attribute of that name; nil where there is none.
  @inline(__always) func attributeIndex(_ name: String) -> Int? {
    attributeNames.position(name) ?? layout.attributeIndexes[name]
  }

  /// - Parameter problems: gets what is wrong with the rules of attributes; those are left out.
  init(_ layout: EntityLayout, classes: [String: ManagedObject.Type], problems: inout [ModelError.Problem]) {
    self.layout = layout
    attributeNames = AttributeNames(layout.attributes.map(\.name))
    var validators: [AttributeValidator] = []
    for attribute in layout.attributes { validators.append(Self.validator(of: attribute, &problems)) }
    self.validators = validators
    plainRules = validators.map(\.plainRule)
    isNormalized = layout.attributes.map { $0.type == .float || $0.composite != nil }
    defaultValues = layout.attributes.map(\.initialValue)
    hasDefaults = defaultValues.contains { $0 != .null }
    isAbstract = layout.entity.isAbstract
    let description = layout.entity.definition
    let stated =
      description.managedObjectClassName.flatMap { classes[$0] ?? Self.loadedClass($0) } ?? classes[description.name]
    unsafe choice = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe choice.initialize(
      to: ClassChoice(
        objectClass: stated ?? ManagedObject.self, isSubclass: stated.map { $0 != ManagedObject.self } ?? false))
    isChosen = Atomic(stated != nil)
    transientAttributes = layout.attributes.indices.filter { layout.attributes[$0].isTransient }
    var transients = PropertySet()
    for index in transientAttributes { transients.insert(attribute: index) }
    transientProperties = transients
    emptyDestinations = Array(repeating: nil, count: layout.relationships.count)
    emptyMemberLists = layout.relationships.map { $0.isToMany ? MemberList(stored: []) : nil }
    hasToMany = layout.relationships.contains(where: \.isToMany)
    tellsPropertiesApart =
      layout.attributes.count <= PropertySet.capacity && layout.relationships.count <= PropertySet.capacity
      && layout.attributes.allSatisfy { $0.composite == nil }
    hasDerivedAttributes = layout.attributes.contains { $0.derivation != nil }
    hasBinaryAttributes = layout.attributes.contains { attribute in
      StoredAttribute.leaves(of: attribute).contains { [.binary, .transformable].contains($0.attribute.type) }
    }
    links = layout.relationships.enumerated().map { index, relationship in
      let inverse = layout.inverses[index]
      let destination = relationship.destination
      return Link(
        isToMany: relationship.isToMany, isOptional: relationship.definition.isOptional,
        destinationIndex: destination.index, isInverseToMany: inverse?.isToMany ?? false,
        inverseIndex: inverse.flatMap { inverse in destination.relationships.firstIndex { $0.name == inverse.name } })
    }
    hasCountLimit = layout.relationships.map(\.hasCountLimit)
  }

  private static func validator(
    of attribute: AttributeDefinition, _ problems: inout [ModelError.Problem]
  ) -> AttributeValidator {
    do {
      return try AttributeValidator(attribute)
    } catch {
      problems += error.problems
      return AttributeValidator(withoutExpressions: attribute)
    }
  }

  deinit {
    unsafe choice.deinitialize(count: 1)
    unsafe choice.deallocate()
  }

  // MARK: - The class

  /// Whether objects are of a subclass, which may override hooks. Of an entity without objects it means nothing.
  @inline(__always) var hasSubclass: Bool { unsafe choice.pointee.isSubclass }

  /// The class of the entity's objects, as far as it is chosen.
  var objectClass: ManagedObject.Type {
    unsafe isChosen.load(ordering: .acquiring) ? choice.pointee.objectClass : ManagedObject.self
  }

  /// The class of an object that is about to be made; it does not change any more then.
  @inline(__always) func classOfNewObject() -> ManagedObject.Type {
    if !isChosen.load(ordering: .acquiring) { choosing.withLock { _ in isChosen.store(true, ordering: .releasing) } }
    return unsafe choice.pointee.objectClass
  }

  /// Takes a class that the program uses for the entity, unless one was stated or there are objects.
  func choose(_ objectClass: ManagedObject.Type) {
    choosing.withLock { _ in
      if isChosen.load(ordering: .relaxed) { return }
      unsafe choice.pointee = ClassChoice(objectClass: objectClass, isSubclass: objectClass != ManagedObject.self)
      isChosen.store(true, ordering: .releasing)
    }
  }

  /// The class of managed objects that the program has under a name with its module, such as `App.Recipe`.
  private static func loadedClass(_ name: String) -> ManagedObject.Type? {
    // Foundation writes into the program's log that it cannot find a class inside another type.
    let isOfModule = name.split(separator: ".", omittingEmptySubsequences: false).count == 2
    return isOfModule ? NSClassFromString(name) as? ManagedObject.Type : nil
  }

  /// Takes the class of a module that has the name in the model, unless one was chosen.
  func chooseNamedClass(inModule module: Substring) {
    guard let name = entity.definition.managedObjectClassName, !isChosen.load(ordering: .acquiring),
      let last = name.split(separator: ".").last, let found = Self.loadedClass("\(module).\(last)")
    else { return }
    choose(found)
  }

  /// Whether the entity, or its class in the model (`Recipe`, `.Recipe`, `App.Recipe`), has the name of a class.
  func isNamed(_ objectClass: ManagedObject.Type) -> Bool {
    let name = "\(objectClass)"
    guard let className = entity.definition.managedObjectClassName else { return entity.name == name }
    return className == name || className.split(separator: ".").last.map(String.init) == name || entity.name == name
  }

  /// The position of the relationship in the entity's own layout.
  func index(of relationship: Relationship) -> Int? { layout.relationshipIndexes[relationship.name] }
}
