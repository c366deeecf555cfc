package import ObjectModel

/// The rules of the model for the rows of a batch, prepared for many rows.
package struct BatchRowRules {
  private enum Cell {
    case attribute(AttributeValidator, initial: Value)
    case toOne(Relationship)
  }

  private let entity: Entity
  private let cells: [Cell]
  /// Required properties that no column gives and that have no default.
  private let missing: [(name: String, code: ValidationError.Code, message: String)]

  /// - Throws: `ModelError` for an invalid regular expression or rule, `StoreError.failure` for a column that does not
  ///   belong to the entity.
  package init(_ entity: Entity, columns: [RowBatch.Column]) throws {
    self.entity = entity
    var named: Set<String> = []
    cells = try columns.map { column in
      switch column.source {
      case .attribute(let path):
        named.insert(path)
        let names = path.keyPathComponents
        guard let attribute = entity.attribute(names.first ?? "")?.element(at: names.dropFirst()) else {
          throw StoreError.failure("\(entity.name) has no stored attribute \(path)")
        }
        return .attribute(try AttributeValidator(attribute), initial: attribute.initialValue)
      case .toOne(let name), .toOneEntity(let name), .toOneOrder(let name):
        named.insert(name)
        guard let relationship = entity.relationship(name) else {
          throw StoreError.failure("\(entity.name) has no relationship \(name)")
        }
        return .toOne(relationship)
      }
    }
    let leaves = entity.attributes.filter { !$0.isTransient && $0.derivation == nil }
      .flatMap { StoredAttribute.leaves(of: $0) }
    var missing = leaves.filter {
      !named.contains($0.path) && !$0.attribute.isOptional && $0.attribute.initialValue == .null
    }.map { (name: $0.path, code: ValidationError.Code.missingValue, message: "a value is required") }
    missing += entity.relationships.filter {
      !$0.isToMany && !$0.definition.isOptional && !$0.definition.isTransient && !named.contains($0.name)
    }.map { (name: $0.name, code: .missingRelationship, message: "an object is required") }
    self.missing = missing
  }

  /// The rules that a row breaks.
  /// - Parameters:
  ///   - number: the row's number in the whole batch request, from 1, for the messages.
  ///   - isNew: whether it becomes an object of its own, whose absent cells take the defaults.
  package func problems(
    number: Int, isNew: Bool, value: (_ column: Int) -> Value?
  ) -> [ValidationError.Problem] {
    var problems: [ValidationError.Problem] = []
    func add(
      _ property: String, _ code: ValidationError.Code, _ message: String, _ value: Value? = nil,
      predicate: String? = nil
    ) {
      var problem = ValidationError.Problem(
        entity: entity.name, property: property, code: code, message: "row \(number): \(message)", value: value)
      problem.predicate = predicate
      problems.append(problem)
    }
    for (column, cell) in cells.enumerated() {
      let given = value(column)
      switch cell {
      case .attribute(let validator, let initial):
        guard let value = given ?? (isNew ? initial : nil), !validator.plainRule.accepts(value) else { continue }
        for violation in validator.violations(of: value) {
          add(
            validator.attribute.name, violation.code, violation.message, value, predicate: violation.predicate)
        }
      case .toOne(let relationship):
        guard !relationship.definition.isOptional, (given ?? (isNew ? .null : nil)) == .null else { continue }
        add(relationship.name, .missingRelationship, "an object is required")
      }
    }
    if isNew { for lack in missing { add(lack.name, lack.code, lack.message) } }
    return problems
  }

  /// The problem of a row that leads to no object.
  package func missingDestination(number: Int, _ relationship: Relationship, key: Int64) -> ValidationError.Problem {
    ValidationError.Problem(
      entity: entity.name, property: relationship.name, code: .wrongDestination,
      message: "row \(number): there is no \(relationship.destination.name) \(key)")
  }

  /// The problem of a row that several objects are in conflict with.
  package func severalObjects(number: Int, _ keys: [Int64]) -> StoreError {
    .constraintConflict(
      entity: entity.name, constraint: entity.uniquenessConstraints.joined().sorted { $0.precedesByCodePoint($1) },
      message: "row \(number) has values of several objects: \(keys.map(String.init).joined(separator: ", "))")
  }
}
