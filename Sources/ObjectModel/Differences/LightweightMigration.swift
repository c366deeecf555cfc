/// Whether Core Data can migrate a store from one model version to another by itself, with a mapping that it infers
/// from the two models ("lightweight migration"), and what that would do.
///
/// The rules, as Apple documents them for inferred mapping models:
///
/// | change | lightweight? |
/// |---|---|
/// | entity, attribute or relationship added, optional | yes |
/// | mandatory attribute added | only with a default value (a derived one needs none) |
/// | entity, attribute or relationship removed | yes; its data go |
/// | entity, attribute or relationship renamed | yes, when the newer one's renaming identifier names the older one; else it is one removed and one added |
/// | attribute, or element of a composite, optional → mandatory | only with a default value |
/// | attribute mandatory → optional | yes |
/// | attribute of another type (composites: other elements) | no |
/// | attribute stored → transient | yes, as if removed; transient → stored: as if added |
/// | attribute plain ↔ derived, another derivation | yes; the value is computed anew |
/// | relationship to-one → to-many | yes |
/// | relationship to-many → to-one | no: nothing says which object stays |
/// | relationship ordered ↔ unordered | yes |
/// | relationship to another destination | only when that is the same entity renamed, or an ancestor of it |
/// | relationship added as mandatory, or optional → mandatory, or other counts | yes, when the objects that are there meet it |
/// | entity under another parent, a parent put in or taken out, property moved up or down the hierarchy | yes |
/// | two hierarchies merged: entities without a common ancestor get one | no |
/// | entity made abstract | yes, when it has no objects of its own |
/// | uniqueness constraint added | yes, when no objects break it |
/// | default values, validation, delete rules, classes, indexes, user info | no migration is needed at all |
///
/// The rules for to-many → to-one, for other destinations and for composites are the careful reading of what the
/// documentation does not mention.
public struct LightweightMigration: Sendable, Hashable {
  /// Something that an inferred mapping does, or cannot do.
  public struct Item: Sendable, Hashable, CustomStringConvertible {
    /// The entity, by its name in the newer model (in the older one when it was removed).
    public let entity: String
    /// The property, nil for the entity as a whole.
    public let property: String?
    /// The fact in words, without the names.
    public let message: String

    package init(entity: String, property: String?, message: String) {
      self.entity = entity
      self.property = property
      self.message = message
    }

    /// Such as "Stop.code: new and mandatory, without a default value".
    public var description: String { entity + (property.map { "." + $0 } ?? "") + ": " + message }
  }

  /// Why no mapping can be inferred; empty when one can.
  public internal(set) var obstacles: [Item] = []
  /// Those of the obstacles that are Core Data's alone: this library joins hierarchies, with new primary keys for the
  /// objects of all but one of them.
  public internal(set) var mergedHierarchies: [Item] = []
  /// The rules that the objects in the store must meet, or the migration fails half-way.
  public internal(set) var conditions: [Item] = []
  /// The data that the migration deletes.
  public internal(set) var losses: [Item] = []

  /// Whether Core Data can infer a mapping.
  public var isPossible: Bool { obstacles.isEmpty }

  /// Whether this library can infer a mapping: it merges hierarchies, too.
  public var isPossibleWithMerging: Bool { obstacles.count == mergedHierarchies.count }
}

extension ManagedObjectModel {
  /// Whether Core Data would migrate a store of this model to `newer` by itself.
  /// - Complexity: O(entities · properties).
  public func lightweightMigration(to newer: ManagedObjectModel) -> LightweightMigration {
    var inference = MappingInference(older: self, newer: newer)
    inference.run()
    return inference.result
  }

  /// The number of `losses` of `lightweightMigration(to:)`; nil where no mapping can be inferred, not even by merging
  /// hierarchies, or where there are more than `limit`. The search ends as soon as the answer is nil.
  package func inferredLossCount(to newer: ManagedObjectModel, atMost limit: Int = .max) -> Int? {
    var inference = MappingInference(older: self, newer: newer)
    inference.run { $0.isPossibleWithMerging && $0.losses.count <= limit }
    let result = inference.result
    return result.isPossibleWithMerging && result.losses.count <= limit ? result.losses.count : nil
  }
}
