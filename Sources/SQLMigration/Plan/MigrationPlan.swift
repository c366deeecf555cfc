public import ObjectModel

/// The plan of a migration in place, table by table and entity by entity, with its obstacles.
public struct MigrationPlan: Sendable {
  /// What happens to the objects of one entity.
  public struct EntityStep: Sendable, Hashable {
    /// The name in the store's model; nil for a new entity.
    public var source: String?
    /// The name in the new model; nil for one that is gone.
    public var destination: String?
    /// Add, copy, transform or remove.
    public var type: EntityMapping.MappingType
    /// Objects in the store of this very entity; nil where a run does not touch them and so did not count.
    public var rows: Int?
    /// What is added to the objects' primary keys: not 0 where hierarchies are merged.
    public var primaryKeyOffset: Int64
    /// Whether a mapping model chooses the objects by a source expression of its own; `rows` counts all.
    public var isFiltered: Bool

    package init(
      source: String?, destination: String?, type: EntityMapping.MappingType, rows: Int?, primaryKeyOffset: Int64 = 0,
      isFiltered: Bool = false
    ) {
      self.source = source
      self.destination = destination
      self.type = type
      self.rows = rows
      self.primaryKeyOffset = primaryKeyOffset
      self.isFiltered = isFiltered
    }
  }

  /// What happens to a table.
  public struct TableStep: Sendable, Hashable {
    /// How much of it is written.
    public enum Work: String, Sendable, Hashable, CaseIterable {
      /// There was no such table before.
      case created
      /// Nothing is written in it.
      case kept
      /// Columns are appended or renamed, and no row is written.
      case altered
      /// Rows get new values where they are.
      case updated
      /// Its rows are written into a new table.
      case rewritten
      /// It goes, with its rows.
      case removed
    }
    /// The name in the new store; the old one's of a table that goes.
    public var name: String
    /// The tables that its rows come from.
    public var sources: [String]
    /// How much is written.
    public var work: Work
    /// Columns that are appended.
    public var appendedColumns: [String] = []
  }

  /// The steps of entities, in the order of the mapping.
  public internal(set) var entities: [EntityStep] = []
  /// Tables of entities and of many-to-many relationships.
  public internal(set) var tables: [TableStep] = []
  /// The rules that the data break: the migration is refused until the data meet them.
  public internal(set) var conditions: [MigrationCondition] = []
  /// Whether `conditions` are complete. Uniqueness cannot always be checked before the rows are made.
  package internal(set) var isComplete = true
  /// Whether values go into files of external data.
  package internal(set) var writesFiles = false
  /// The data that the migration deletes.
  public internal(set) var losses: [LightweightMigration.Item] = []
  /// The effects on objects of the file that do not belong to the old model.
  package internal(set) var foreign = ForeignObjectChanges()
  /// Triggers that do not belong to the old model, each with its table, such as `audit on ZNOTE`: they go.
  public var droppedTriggers: [String] { foreign.droppedTriggers }
  /// Indexes that do not belong to the old model and whose columns do not all stay, such as `recent on ZNOTE`: they go.
  /// Others stay.
  public var droppedIndexes: [String] { foreign.droppedIndexes }
  /// Hierarchies that are joined, which Core Data itself would not do.
  public internal(set) var mergedHierarchies: [LightweightMigration.Item] = []

  /// The plan with further indexes outside the model that go, as found during the work.
  package func losing(_ indexes: [String]) -> MigrationPlan {
    var plan = self
    plan.foreign.droppedIndexes += indexes
    return plan
  }

  /// Entities whose objects get other primary keys, so that their URIs change.
  public var renumbered: [EntityStep] { entities.filter { $0.primaryKeyOffset != 0 && $0.rows != 0 } }
}

extension MigrationPlan: CustomStringConvertible {
  /// One line for each entity, each table that is written, and everything to know.
  public var description: String { description(resolving: .refuse) }

  /// The same under a policy that resolves duplicates, which are then no obstacle.
  package func description(resolving duplicates: StoreMigration.DuplicatePolicy) -> String {
    var lines = entities.map(\.description)
    lines += tables.filter { $0.work != .kept }.map(\.line)
    lines += renumbered.map { step in
      "\(step.destination ?? ""): primary keys are raised by \(step.primaryKeyOffset), and URIs change with them"
    }
    lines += losses.map { "lost: \($0)" }
    lines += foreign.lostTexts.map { "lost: \($0)" }
    lines += conditions.map { $0.line(resolving: duplicates) }
    return lines.joined(separator: "\n")
  }
}

extension MigrationPlan.EntityStep: CustomStringConvertible {
  /// Such as `entity Note: changed, 3 objects`, or `entity Note: changed, those of 3 objects that the mapping's filter
  /// takes`.
  public var description: String {
    let name =
      switch (source, destination) {
      case (let source?, let destination?) where source != destination: "\(source) → \(destination)"
      default: destination ?? source ?? ""
      }
    let verb =
      switch type {
      case .add: "new"
      case .remove: "removed"
      case .copy: "unchanged"
      default: "changed"
      }
    let objects = rows.map { $0.counted("object") }
    let taken = isFiltered ? "those\(objects.map { " of \($0)" } ?? "") that the mapping's filter takes" : objects
    return "entity \(name): \(verb)" + (taken.map { ", \($0)" } ?? "")
  }
}

extension MigrationPlan.TableStep {
  fileprivate var line: String {
    let from = sources.filter { $0 != name }
    let added = appendedColumns.isEmpty ? "" : ", with new columns \(appendedColumns.joined(separator: ", "))"
    return "table \(name): \(work.rawValue)" + (from.isEmpty ? "" : " from \(from.joined(separator: ", "))") + added
  }
}

/// A rule of the new model that objects of the store break.
public struct MigrationCondition: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of rules. Raw values appear in JSON and do not change.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The entity is abstract and has objects.
    case abstractEntity
    /// Objects have the same values under a uniqueness constraint; `count` is that of values.
    case duplicateKeys
    /// A mandatory attribute or relationship has no value.
    case missingValue
    /// A to-many relationship has too few or too many objects.
    case objectCount
    /// Objects that may have one owner have several.
    case severalOwners
    /// A one-to-one relationship is made of two that were no inverses of each other, and one side leads objects
    /// elsewhere than the other.
    case sidesDisagree
    /// A mandatory relationship would lose its object, a duplicate that goes.
    case emptiedRelationship
    /// Duplicates that no policy resolves: with them gone, something else would be wrong, as `examples` say.
    case unresolvedDuplicates
    /// A value is to come back from a file, and cannot be read.
    case unreadableValue
    /// Something that does not belong to the old model has a name that the new tables need; `examples` say what.
    case nameTaken
    /// A unique index that does not belong to the model, over derived values that would be there more than once; the
    /// first of `examples` names it, the others are keys where they can be told.
    case foreignIndex
  }

  /// What sort of rule.
  public var kind: Kind
  /// The entity, by its name in the new model.
  public var entity: String
  /// The property or the constraint's properties; nil for the entity as a whole.
  public var property: String?
  /// How many objects break it, or how many values are there more than once.
  public var count: Int
  /// The first duplicate keys, at most 20; or what would be wrong without the duplicates; or other words for what is in
  /// the way.
  public var examples: [String] = []
  /// The step of several in which it was met, such as `Shop → Shop 2: inferred`; nil for a migration in one step.
  public var step: String?

  /// One sentence with entity, property and count.
  public var description: String { (step.map { "\($0): " } ?? "") + sentence }

  /// As a line of a plan: whether it is in the way, or resolved by the policy.
  package func line(resolving duplicates: StoreMigration.DuplicatePolicy) -> String {
    let isResolved = kind == .duplicateKeys && duplicates != .refuse
    return (isResolved ? "resolved by \(duplicates.rawValue)" : "in the way") + ": \(self)"
  }

  private var sentence: String {
    let objects = count.counted("object")
    let name = entity + (property.map { "." + $0 } ?? "")
    switch kind {
    case .abstractEntity: return "\(entity): abstract now, and the store has \(objects) of this very entity"
    case .duplicateKeys:
      return
        "\(entity): \(property ?? "") must be unique now, and \(count.counted("value is", "values are")) there "
        + "more than once: \(examples.joined(separator: "; "))\(count > examples.count ? "; …" : "")"
    case .missingValue: return "\(name): mandatory, and \(objects) would have no value"
    case .emptiedRelationship:
      return "\(name): mandatory, and \(objects) would lose what it leads to, which is a duplicate"
    case .objectCount: return "\(name): \(objects) would have too few or too many objects in it"
    case .unresolvedDuplicates:
      return "\(entity): duplicates cannot be resolved so: \(examples.joined(separator: "; ")) (\(objects))"
    case .unreadableValue:
      return "\(name): kept in files until now, and the values of \(objects) cannot be read: "
        + examples.joined(separator: "; ")
    case .nameTaken:
      return "\(entity): its table or an index needs the name of "
        + "\(examples.map { "the \($0)" }.joined(separator: ", ")), which does not belong to the model"
    case .foreignIndex:
      let keys = examples.dropFirst()
      return
        "\(entity): the unique index \(examples.first ?? ""), which does not belong to the model, is over derived values, and "
        + (keys.isEmpty
          ? "several objects would have the same"
          : "\(count.counted("value")) would be there more than once: "
            + "\(keys.joined(separator: "; "))\(count > keys.count ? "; …" : "")")
    case .sidesDisagree:
      return
        "\(name): it and its inverse \(examples.joined(separator: ", ")) were no inverses of each other, and for "
        + "\(objects) one says otherwise than the other"
    case .severalOwners: return "\(name): leads to \(objects) that would have several owners and may have one only"
    }
  }
}
