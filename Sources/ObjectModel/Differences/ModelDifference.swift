/// One way in which a model differs from an older one.
public struct ModelDifference: Sendable, Hashable {
  /// What differs. The names are those of the newer model, of the older one for something removed.
  public enum Subject: Sendable, Hashable {
    case entity
    case attribute(String)
    case relationship(String)
    /// The constraint's property names.
    case uniquenessConstraint([String])
    case fetchIndex(String)
  }

  /// The kinds of differences.
  public enum Change: Sendable, Hashable {
    case added
    case removed
    /// It was `from` before; the newer one's renaming identifier says so.
    case renamed(from: String)
    /// The ancestor `to` declares the property now, and the entity inherits it.
    case movedUp(to: String)
    /// The entity declares the property now, which it inherited from `from`.
    case movedDown(from: String)
    /// One aspect has another value. The values are texts to show; nil stands for none.
    case changed(Aspect, from: String?, to: String?)
  }

  /// What can change in an entity, an attribute, a relationship or a fetch index.
  public enum Aspect: String, Sendable, Hashable, CaseIterable {
    case type
    case optional
    case transient
    case defaultValue = "default value"
    case minimumValue = "minimum"
    case maximumValue = "maximum"
    case regularExpression = "regular expression"
    case validationRules = "validation rules"
    case externalStorage = "external storage"
    case preservedAfterDeletion = "preserved after deletion"
    case valueTransformer = "value transformer"
    case derivation
    case composite
    case versionHashModifier = "version hash modifier"
    case destination
    case inverse
    case toMany = "to-many"
    case ordered
    case minimumCount = "minimum count"
    case maximumCount = "maximum count"
    case deleteRule = "delete rule"
    case abstract
    case parent
    case className = "class"
    case elements
    case partialIndexPredicate = "partial index predicate"
  }

  /// The entity it is about, by its name in the newer model (in the older one when it was removed).
  public let entity: String
  /// The part of the entity that differs.
  public let subject: Subject
  /// In what way the subject differs.
  public let change: Change
  /// Whether it makes the version hashes differ, so that a store of the older model needs a migration.
  public let affectsVersionHash: Bool
}

extension ModelDifference: CustomStringConvertible {
  /// One line, such as "Stop.name: optional changed from no to yes".
  public var description: String {
    let name =
      switch subject {
      case .entity: entity
      case .attribute(let name), .relationship(let name): "\(entity).\(name)"
      case .uniquenessConstraint(let names): "\(entity) uniqueness constraint (\(names.joined(separator: ", ")))"
      case .fetchIndex(let name): "\(entity) fetch index \(name)"
      }
    return switch change {
    case .added: "\(name): added"
    case .removed: "\(name): removed"
    case .renamed(let old): "\(name): renamed from \(old)"
    case .movedUp(let entity): "\(name): moved up to \(entity)"
    case .movedDown(let entity): "\(name): moved down from \(entity)"
    case .changed(let aspect, let old, let new):
      "\(name): \(aspect.rawValue) changed from \(old ?? "none") to \(new ?? "none")"
    }
  }
}

extension ManagedObjectModel {
  /// How `newer` differs from this model, entity by entity in name order. Only what an entity itself declares is
  /// compared, so that a change of a parent stands once; fetched properties, legacy indexes, scalar types and user info
  /// are not. Names after a rename are found by the renaming identifiers of `newer`.
  public func differences(to newer: ManagedObjectModel) -> [ModelDifference] {
    ModelComparison(older: self, newer: newer).differences()
  }
}
