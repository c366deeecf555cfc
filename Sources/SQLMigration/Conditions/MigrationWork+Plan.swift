import CoreDataLayout
import ObjectModel
import SQLite

extension MigrationWork {
  /// The plan of the work, in words and numbers.
  /// - Parameters:
  ///   - countsAll: whether objects are counted that no statement touches.
  ///   - uncounted: old tables whose objects are counted elsewhere.
  func plan(
    _ connection: Connection, countsAll: Bool = true, without uncounted: Set<String> = []
  ) throws -> MigrationPlan {
    var plan = MigrationPlan()
    let before = old.model.lightweightMigration(to: new.model)
    plan.losses = before.losses + lostReferences()
    plan.mergedHierarchies = before.mergedHierarchies
    let counts = try rowCounts(connection, countsAll: countsAll, without: uncounted)
    plan.entities = mapping.entityMappings.map { mapping in
      let source = mapping.sourceEntityName.flatMap { old.model[$0] }
      return MigrationPlan.EntityStep(
        source: mapping.sourceEntityName, destination: mapping.destinationEntityName, type: mapping.mappingType,
        rows: source.flatMap { counts.objects[old.number(of: $0)] },
        primaryKeyOffset: source.flatMap { moves.move(of: $0)?.offset } ?? 0)
    }
    plan.tables = tableSteps()
    var foreign = try ForeignObjects(connection, old)
    plan.foreign = try foreign.carry(through: self)
    plan.foreign.drop(counts.stray)
    let conditions = MigrationConditions(work: self, connection: connection)
    plan.writesFiles = try conditions.writesFiles()
    plan.conditions = try conditions.broken()
    plan.isComplete =
      conditions.tellsAllDuplicates
      && !plan.foreign.keptIndexes.contains { $0.isUnique && $0.isOverDerivedValues(of: new) }
    return plan
  }

  /// How many objects there are by entity number, and how many rows of no entity by table, where the table goes.
  private func rowCounts(
    _ connection: Connection, countsAll: Bool, without uncounted: Set<String>
  ) throws -> (objects: [Int: Int], stray: [String: Int]) {
    let untouched = Set(tables.filter(\.leavesRows).flatMap { $0.feeds.map(\.old.name) })
    let kept = keptNames
    var objects: [Int: Int] = [:]
    var stray: [String: Int] = [:]
    for table in old.tables
    where (countsAll || !untouched.contains(table.name)) && !uncounted.contains(table.name) {
      let numbers = moves.concrete(kindOf: table.root).map { old.number(of: $0) }
      // One pass; groups would be sorted first.
      let sums = numbers.map { "ifnull(sum(Z_ENT = \($0)), 0)" } + ["count(*)"]
      let statement = try Statement(
        connection, "SELECT \(sums.joined(separator: ", ")) FROM \(SQLText.identifier(table.name))")
      guard try statement.step() else { continue }
      for (position, number) in numbers.enumerated() { objects[number] = Int(statement.int64(at: Int32(position))) }
      let rest = Int(statement.int64(at: Int32(numbers.count))) - numbers.reduce(0) { $0 + (objects[$1] ?? 0) }
      if rest > 0, kept[table.name] == nil { stray[table.name.uppercased()] = rest }
    }
    return (objects, stray)
  }

  private func tableSteps() -> [MigrationPlan.TableStep] {
    var steps = tables.map { table in
      let work: MigrationPlan.TableStep.Work =
        switch table.method {
        case .create: .created
        case .rewrite: .rewritten
        case .inPlace:
          !table.leavesRows
            ? .updated
            : table.appended.isEmpty && table.renamed.isEmpty && table.new.name == table.feeds[0].old.name
              ? .kept : .altered
        }
      return MigrationPlan.TableStep(
        name: table.new.name, sources: table.feeds.map(\.old.name), work: work,
        appendedColumns: table.appended.map(\.name))
    }
    steps += joins.map { join in
      switch join.method {
      case .create: MigrationPlan.TableStep(name: join.new.name, sources: [], work: .created)
      case .fill: MigrationPlan.TableStep(name: join.new.name, sources: [], work: .rewritten)
      case .inPlace(let old):
        MigrationPlan.TableStep(
          name: join.new.name, sources: [old],
          work: old == join.new.name && join.renamed.isEmpty ? .kept : .altered)
      }
    }
    let known = Set(steps.flatMap { $0.sources + [$0.name] })
    steps += droppedTableNames.filter { !known.contains($0) }.map {
      MigrationPlan.TableStep(name: $0, sources: [], work: .removed)
    }
    return steps
  }

  /// References to objects that stay, and are no longer of the kind that the relationship leads to.
  private func lostReferences() -> [LightweightMigration.Item] {
    var items: [LightweightMigration.Item] = []
    for entity in new.entitiesByNumber {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.definition.isTransient {
        for source in pairs.sources(of: relationship) {
          for number in pairs.members(source.old, relationship).lost {
            guard let kind = old.entity(number: number), let move = moves.move(of: kind) else { continue }
            let item = LightweightMigration.Item(
              entity: entity.name, property: relationship.name,
              message: "\(move.new.name) is no \(relationship.destination.name) any more, references to its objects go")
            if !items.contains(item) { items.append(item) }
          }
        }
      }
    }
    return items
  }
}
