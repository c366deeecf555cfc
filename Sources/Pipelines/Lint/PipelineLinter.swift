import Foundation
public import ObjectModel

/// Checks a pipeline against the model it writes to, before anything is read.
public enum PipelineLinter {
  /// Every problem, errors and warnings, in the order of the file.
  public static func lint(_ file: PipelineFile, model: ManagedObjectModel) -> [PipelineProblem] {
    var lint = LintState(file: file, model: model)
    for step in file.imports { lint.check(step) }
    lint.checkBothSides()
    for step in file.exports { lint.check(step) }
    for expectation in file.expectations { lint.check(expectation) }
    if file.imports.isEmpty, file.exports.isEmpty, file.store.seed == nil {
      lint.warn(
        "nothing-to-do", "the pipeline neither imports nor exports anything", at: file.store.position,
        hint: "add import: with at least one step")
    }
    return lint.problems.sortedByPosition()
  }
}

/// The state of one lint.
struct LintState {
  let file: PipelineFile
  let model: ManagedObjectModel
  var problems: [PipelineProblem] = []
  /// Whether the step at hand restores a dump.
  var isRestoring = false

  mutating func add(_ code: String, _ message: String, at position: FilePosition, hint: String? = nil) {
    report(.error, code, message, position, hint)
  }

  mutating func warn(_ code: String, _ message: String, at position: FilePosition, hint: String? = nil) {
    report(.warning, code, message, position, hint)
  }

  mutating func report(
    _ severity: PipelineProblem.Severity, _ code: String, _ message: String, _ position: FilePosition, _ hint: String?
  ) {
    problems.append(
      PipelineProblem(
        severity: severity, code: "lint.\(code)", message: message, hint: hint,
        file: FilePath.shown(file.path), position: position))
  }

  mutating func entity(_ name: String, at position: FilePosition) -> Entity? {
    do throws(RunError) {
      return try model.entity(named: name, code: "unknown-entity")
    } catch {
      add(error.code, error.message, at: position, hint: error.hint)
      return nil
    }
  }

  mutating func check(_ step: ImportStep) {
    isRestoring = step.strategy == .restore
    if let expectation = step.expectation { check(expectation, of: step) }
    let entityPosition = step.fieldPositions["entity"] ?? step.position
    guard let entity = entity(step.entity, at: entityPosition) else { return }
    if entity.isAbstract {
      add(
        "abstract-entity", "\(entity.name) is abstract: it has no objects of its own", at: entityPosition,
        hint: Suggestion.list("name one of its sub-entities", Self.concrete(under: entity)))
    }
    let matchPosition = step.fieldPositions["match"] ?? step.position
    let isJSON = step.source.format.isJSON
    let map = expanded(step.map, of: entity, readsJSON: isJSON)
    check(match: step.match, of: entity, map: map.entries, at: matchPosition)
    checkMap(map, of: entity, source: step.source)
    let isUpdating = isUpdating(step)
    // A restored row has what the dump has.
    if !isRestoring {
      checkMissing(
        isUpdating ? mapsBefore(step) + step.map : step.map, of: entity, at: step.position, isUpdating: isUpdating)
    }
    checkStrategy(step, entity)
  }

  static func concrete(under entity: Entity) -> [String] {
    entity.subentities.flatMap { ($0.isAbstract ? [] : [$0.name]) + concrete(under: $0) }
  }

  /// Whether the step may find objects that were there before it, or that others make.
  private func isUpdating(_ step: ImportStep) -> Bool {
    guard !step.match.isEmpty, let entity = model[step.entity] else { return false }
    if file.store.seed != nil || file.store.replace == .never { return true }
    let makers = file.imports.count { other in model[other.entity].map { Self.areKin($0, entity) } == true }
    return makers > 1
      || file.imports.contains { other in model[other.entity].map { makes(entity, $0, other.map) } == true }
  }

  /// Whether an object of one may be one of the other.
  private static func areKin(_ one: Entity, _ other: Entity) -> Bool { one.isKind(of: other) || other.isKind(of: one) }

  /// Whether nested objects of a map may be objects of an entity.
  private func makes(_ entity: Entity, _ owner: Entity, _ map: [MapEntry]) -> Bool {
    map.contains { entry in
      guard case .nested(let nested) = entry.value,
        let made = nested.entity.flatMap({ model[$0] }) ?? owner.relationship(entry.property)?.destination
      else { return false }
      return Self.areKin(made, entity) || makes(entity, made, nested.map)
    }
  }

  /// The properties that earlier steps map for the same entity: objects that this step updates have them already.
  private func mapsBefore(_ step: ImportStep) -> [MapEntry] {
    file.imports.filter { $0.entity == step.entity && $0.position.line < step.position.line }.flatMap(\.map)
  }

  /// Match keys must be attributes or to-one relationships that the map gives values to.
  mutating func check(match: [String], of entity: Entity, map: [MapEntry], at position: FilePosition) {
    for name in match {
      if let relationship = entity.relationship(name) {
        if relationship.isToMany {
          add("match-to-many", "\(entity.name).\(name) is to-many and cannot identify an object", at: position)
          continue
        }
      } else if attribute(name, of: entity) == nil {
        addUnknownProperty(name, of: entity, at: position)
        continue
      }
      if !map.contains(where: { $0.property == name }) {
        add(
          "match-not-mapped", "\"\(name)\" is a match key but not in the map", at: position,
          hint: "add \(name): to the map")
      }
    }
  }

  private mutating func checkStrategy(_ step: ImportStep, _ entity: Entity) {
    let position = step.fieldPositions["strategy"] ?? step.position
    if step.strategy == .upsert {
      let constraints = entity.uniquenessConstraints
      if !constraints.contains(where: { Set($0) == Set(step.match) }) {
        let known = constraints.map { "[\($0.joined(separator: ", "))]" }
        add(
          "upsert-constraint", "upsert needs a uniqueness constraint of \(entity.name) over exactly its match keys",
          at: position,
          hint: known.isEmpty
            ? "\(entity.name) has no constraint: use find-or-create" : "match one of \(known.joined(separator: ", "))")
      }
    }
    if step.strategy == .bulk {
      if step.onMatch != .update {
        warn(
          "bulk-on-match",
          "on-match: \(step.onMatch.rawValue) has no effect: bulk writes to empty entities only",
          at: step.fieldPositions["on-match"] ?? position, hint: "remove it, or use find-or-create")
      }
      if file.store.seed != nil || file.store.replace == .never {
        warn(
          "bulk-not-empty", "bulk fails when the store already has objects of \(entity.name)", at: position,
          hint: "use strategy: automatic")
      }
    }
    if step.strategy == .restore, !step.match.isEmpty {
      add(
        "restore-match", "restore makes a new object of every record and matches none",
        at: step.fieldPositions["match"] ?? step.position, hint: "remove match:, or use strategy: automatic")
    }
    guard step.match.isEmpty else { return }
    for name in ["on-match", "duplicates"] {
      guard let place = step.fieldPositions[name] else { continue }
      warn("no-match-keys", "\"\(name)\" has no effect without match keys", at: place, hint: "add match: [...]")
    }
  }

  mutating func check(_ step: ExportStep) {
    guard let entity = entity(step.entity, at: step.fieldPositions["entity"] ?? step.position) else { return }
    for column in step.columns { check(keyPath: column.keyPath, of: entity, at: column.position) }
    for order in step.order { check(keyPath: order.keyPath, of: entity, at: order.position) }
    checkPredicate(of: step, entity)
  }

  /// To-one relationships and at the end an attribute.
  private mutating func check(keyPath: [String], of start: Entity, at position: FilePosition) {
    var entity = start
    var last: Relationship?
    for (index, name) in keyPath.enumerated() {
      let rest = keyPath[index...].joined(separator: ".")
      if let found = attribute(rest, of: entity) {
        if found.isTransient { add("transient", "\(entity.name).\(rest) is transient: it is not stored", at: position) }
        if found.composite != nil {
          let elements = entity.storedLeaves.map(\.path).filter { $0.hasPrefix(rest + ".") }
          add(
            "composite", "\(entity.name).\(rest) is a composite attribute, not a single value", at: position,
            hint: Suggestion.list("name its elements", elements))
        }
        return
      }
      guard let relationship = entity.relationship(name) else {
        addUnknownProperty(name, of: entity, at: position)
        return
      }
      if relationship.isToMany {
        add(
          "to-many-path", "\(entity.name).\(name) is to-many: it has no single value", at: position,
          hint: "export \(relationship.destination.name) instead")
        return
      }
      entity = relationship.destination
      last = relationship
    }
    add(
      "no-attribute", "\(keyPath.joined(separator: ".")) is a relationship, not an attribute", at: position,
      hint: last.map { ExportAdvice.hint(for: $0, at: keyPath) })
  }

  /// The attribute of a name, or of a path into a composite attribute.
  func attribute(_ path: String, of entity: Entity) -> AttributeDefinition? {
    if let attribute = entity.attribute(path) { return attribute }
    let parts = path.split(separator: ".").map(String.init)
    guard parts.count > 1 else { return nil }
    var attribute = entity.attribute(parts[0])
    for part in parts.dropFirst() { attribute = attribute?.composite?.elements.first { $0.name == part } }
    return attribute
  }

  mutating func addUnknownProperty(_ name: String, of entity: Entity, at position: FilePosition) {
    let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    add(
      "unknown-property", "\(entity.name) has no property \"\(name)\"", at: position,
      hint: Self.formHint(for: name, entity, names) ?? ExportAdvice.hint(for: name, among: names)
        ?? Suggestion.list("properties", names))
  }

  /// How several names in one, or a path through a relationship, are written.
  private static func formHint(for name: String, _ entity: Entity, _ names: [String]) -> String? {
    let parts = name.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    if parts.count > 1, parts.allSatisfy(names.contains) { return "write [\(parts.joined(separator: ", "))]" }
    let path = name.split(separator: ".").map(String.init)
    if path.count == 2, let relationship = entity.relationship(path[0]),
      relationship.destination.attribute(path[1]) != nil
    {
      return "write \(path[0]): { match: \(path[1]), from: ... }"
    }
    return nil
  }
}
