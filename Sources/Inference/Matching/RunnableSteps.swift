import ImportEngine
import ObjectModel
import Pipelines

/// Comments out what a run would end at: references to objects that no file has, and steps whose objects would lack
/// what the model requires.
struct RunnableSteps {
  private(set) var steps: [PipelineStep]
  private(set) var notes: [String] = []
  private let model: ManagedObjectModel

  init(_ steps: [PipelineStep], model: ManagedObjectModel) {
    self.steps = steps
    self.model = model
  }

  /// Goes on until nothing changes: a step that is left out takes the objects away that others refer to.
  mutating func commentOutMisfits() {
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for index in steps.indices where !steps[index].isCommentedOut {
        guard let entity = model[steps[index].entity] else { continue }
        let place = steps[index].list.title
        var lines = steps[index].lines
        if commentOutMisfits(&lines, entity, place: place, owner: nil) { hasChanged = true }
        steps[index].lines = lines
        let lacking = lacking(entity, lines, owner: nil)
        guard lacking != nil || lines.allSatisfy(\.isCommentedOut) else { continue }
        steps[index].isCommentedOut = true
        hasChanged = true
        let reason =
          lacking.map { "\(entity.name).\($0) is required and nothing fits it" }
          ?? "nothing of \(entity.name) is filled"
        notes.append("\(place): \(reason), so the step is commented out: map it")
      }
    }
  }

  /// - Returns: whether a line was commented out.
  private mutating func commentOutMisfits(
    _ lines: inout [PipelineStep.Line], _ entity: Entity, place: String, owner: Relationship?
  ) -> Bool {
    var hasChanged = false
    for index in lines.indices where !lines[index].isCommentedOut {
      if let reference = lines[index].reference {
        guard let reason = unfit(reference) else { continue }
        if makeObjects(of: reference, in: &lines[index], entity) {
          hasChanged = true
          continue
        }
        lines[index].isCommentedOut = true
        lines[index].comment = reason
        notes.append("\(place): \(reference.field): it is commented out: \(reason)")
        hasChanged = true
      } else if var inside = lines[index].inside, let relationship = entity.relationship(lines[index].property) {
        let destination = relationship.destination
        let name = "\(place) \(lines[index].property)"
        if commentOutMisfits(&inside, destination, place: name, owner: relationship) { hasChanged = true }
        lines[index].inside = inside
        let mapped = Set(inside.filter { !$0.isCommentedOut }.map(\.property))
        if !mapped.isSuperset(of: lines[index].match) { lines[index].match = [] }
        let lacking = lacking(destination, inside, owner: relationship)
        guard mapped.isEmpty || lacking != nil else { continue }
        lines[index].isCommentedOut = true
        hasChanged = true
        let reason =
          lacking.map { "\(destination.name).\($0) is required and nothing fits it" } ?? "nothing in it fits"
        lines[index].comment = reason
        notes.append("\(name): it is commented out: \(reason)")
      }
    }
    return hasChanged
  }

  // MARK: References

  /// Has a list of keys make the objects that no file has.
  /// - Returns: false where it is no such list, or the objects would lack something.
  private func makeObjects(
    of reference: PipelineStep.Reference, in line: inout PipelineStep.Line, _ entity: Entity
  ) -> Bool {
    guard let list = reference.list, let relationship = entity.relationship(line.property),
      !isFilled(reference), !relationship.destination.definition.isAbstract
    else { return false }
    let inside = [PipelineStep.Line(property: reference.key, value: ".", comment: "each value")]
    guard lacking(relationship.destination, inside, owner: relationship) == nil else { return false }
    line.reference = nil
    line.field = reference.field
    line.value = list
    line.inside = inside
    line.match = [reference.key]
    line.comment = "no file has objects of \(reference.destination): each value makes one"
    return true
  }

  /// Whether a step makes objects with the key.
  private func isFilled(_ reference: PipelineStep.Reference) -> Bool {
    guard let destination = model[reference.destination] else { return false }
    return steps.contains { step in
      !step.isCommentedOut && model[step.entity]?.isKind(of: destination) == true
        && step.lines.contains { $0.property == reference.key && !$0.isCommentedOut && $0.column != nil }
    }
  }

  /// Why not all objects that a field refers to will be there; nil when they will, as far as the files tell.
  private func unfit(_ reference: PipelineStep.Reference) -> String? {
    guard let destination = model[reference.destination] else { return nil }
    var keys: Set<UInt64> = []
    var isFilled = false
    for step in steps where !step.isCommentedOut {
      guard let entity = model[step.entity], entity.isKind(of: destination),
        let line = step.lines.first(where: { $0.property == reference.key && !$0.isCommentedOut }),
        let column = line.column
      else { continue }
      // Columns with too many values to keep are not compared.
      if column.keys.isGivenUp { return nil }
      isFilled = true
      keys.formUnion(column.keys.hashes)
    }
    guard isFilled else { return "no file here has objects of \(destination.name) with their \(reference.key)" }
    guard reference.isWhole, !reference.column.keys.isGivenUp else { return nil }
    // A run takes an empty text for no value where numbers are meant.
    let isNumber = destination.attribute(reference.key).map { $0.type.isInteger } ?? false
    let empty: Set<UInt64> = reference.column.emptyTexts > 0 && isNumber ? [ColumnHashes.ofEmptyText] : []
    let values = reference.column.keys.hashes.subtracting(empty)
    let missing = values.count { !keys.contains($0) }
    guard missing > 0 else { return nil }
    return
      "\(missing.grouped) of \(values.count.grouped) different values are no \(destination.name).\(reference.key)"
  }

  // MARK: What is required

  /// The first property that the model requires and no line fills.
  private func lacking(_ entity: Entity, _ lines: [PipelineStep.Line], owner: Relationship?) -> String? {
    let mapped = Set(lines.filter { !$0.isCommentedOut }.map(\.property))
    let attribute = entity.attributes.first { attribute in
      !attribute.isOptional && attribute.defaultValue == .null && attribute.derivation == nil && !attribute.isTransient
        && !mapped.contains(attribute.name)
    }
    if let attribute { return attribute.name }
    return entity.relationships.first { relationship in
      relationship.definition.isMandatory && !mapped.contains(relationship.name)
        && relationship.name != owner?.inverse?.name && !isFilledFromOtherSide(relationship)
    }?.name
  }

  private func isFilledFromOtherSide(_ relationship: Relationship) -> Bool {
    guard let inverse = relationship.inverse else { return false }
    return steps.contains { step in
      guard !step.isCommentedOut, let entity = model[step.entity], entity.isKind(of: relationship.destination) else {
        return false
      }
      return step.lines.contains { $0.property == inverse.name && !$0.isCommentedOut }
    }
  }
}
