public import ObjectModel

extension FetchExpression {
  /// Checks that everything in the expression exists and fits, and says what it gives.
  /// - Throws: `PredicateCheckError` that names the first mistake.
  public func type(in scope: ExpressionScope) throws(PredicateCheckError) -> OperandType {
    switch self {
    case .constant(let value): return OperandType(value.attributeType.map { .attribute($0) } ?? .unknown)
    case .object(let objectID): return OperandType(.object(objectID.entity))
    case .aggregate(let elements): return OperandType(try Self.common(elements, scope), isList: true)
    case .selfObject: return OperandType(.object(scope.entity))
    case .variable(let name): return try Self.variable(name, scope)
    case .keyPath(let path): return try Self.end(of: path, from: scope.entity, isList: false, scope)
    case .path(let base, let path):
      let type = try base.type(in: scope)
      guard case .object(let entity) = type.element else {
        throw PredicateCheckError("\(base) is no object; it has no property \"\(path.joined(separator: "."))\"")
      }
      return try Self.end(of: path, from: entity, isList: type.isList, scope)
    case .collection(let collector, let base, let path):
      return try Self.collection(collector, base, path, scope)
    case .element(let base, let position):
      let type = try base.list(in: scope, for: "an index")
      switch position {
      case .first, .last: return OperandType(type.element)
      case .size: return .integer
      case .at(let index):
        _ = try index.single(in: scope, for: "an index")
        return OperandType(type.element)
      }
    case .function(let function, let operands): return try Self.function(function, operands, scope)
    case .subquery(let base, let variable, let predicate):
      let type = try base.list(in: scope, for: "SUBQUERY")
      try predicate.check(in: scope.binding(variable, to: OperandType(type.element)))
      return type
    case .conditional(let predicate, let first, let second):
      try predicate.check(in: scope)
      let types = (try first.type(in: scope), try second.type(in: scope))
      if types.0.isList != types.1.isList {
        throw PredicateCheckError("\(self): one branch is a list and the other is none")
      }
      return OperandType(types.0.element.common(types.1.element), isList: types.0.isList)
    case .cast(let operand, let type):
      _ = try operand.single(in: scope, for: "CAST")
      return OperandType(.attribute(type.attributeType))
    case .set(_, let left, let right):
      let types = (try left.type(in: scope), try right.type(in: scope))
      return OperandType(types.0.element.common(types.1.element), isList: true)
    }
  }

  /// The type, which must not be a list.
  package func single(in scope: ExpressionScope, for user: String) throws(PredicateCheckError) -> OperandType {
    let type = try type(in: scope)
    if type.isList {
      throw PredicateCheckError("\(self) gives many values and \(user) needs one: use ANY, ALL or @count")
    }
    return type
  }

  /// The type, which must be a list.
  private func list(in scope: ExpressionScope, for user: String) throws(PredicateCheckError) -> OperandType {
    let type = try type(in: scope)
    if !type.isList { throw PredicateCheckError("\(self) gives one value and \(user) needs many") }
    return type
  }

  private static func variable(_ name: String, _ scope: ExpressionScope) throws(PredicateCheckError) -> OperandType {
    if let type = scope.variables[name] { return type }
    throw PredicateCheckError("the variable $\(name) has no value: give it one with withSubstitutionVariables")
  }

  private static func common(
    _ parts: [FetchExpression], _ scope: ExpressionScope
  ) throws(PredicateCheckError) -> OperandType.Element {
    var element: OperandType.Element?
    for part in parts {
      let type = try part.type(in: scope)
      element = element.map { $0.common(type.element) } ?? type.element
    }
    return element ?? .unknown
  }

  private static func collection(
    _ collector: CollectionOperator, _ base: FetchExpression, _ path: FetchPredicate.KeyPath, _ scope: ExpressionScope
  ) throws(PredicateCheckError) -> OperandType {
    let list = try base.list(in: scope, for: collector.rawValue)
    let type = path.isEmpty ? list : try FetchExpression.path(of: base, path).type(in: scope)
    return collector.function?.resultType(of: type) ?? OperandType(type.element, isList: true)
  }

  private static func function(
    _ function: Function, _ operands: [FetchExpression], _ scope: ExpressionScope
  ) throws(PredicateCheckError) -> OperandType {
    if operands.count != function.operandCount {
      throw PredicateCheckError("\(function.rawValue) takes \(function.operandCount) operands, not \(operands.count)")
    }
    var first = OperandType(.unknown)
    for (index, operand) in operands.enumerated().reversed() {
      let type =
        function.isOfLists ? try operand.type(in: scope) : try operand.single(in: scope, for: function.rawValue)
      if index == 0 { first = type }
    }
    if function == .indexed { try checkIndexHint(operands, scope) }
    return function.resultType(of: first)
  }

  private static func checkIndexHint(_ operands: [FetchExpression], _ scope: ExpressionScope)
    throws(PredicateCheckError)
  {
    guard case .constant(.string(let name)) = operands[1] else {
      throw PredicateCheckError("indexed:by: needs the name of a fetch index as its second operand")
    }
    let entities = scope.entity.model.entities
    if !entities.contains(where: { $0.definition.fetchIndexes.contains { $0.name == name } }) {
      throw PredicateCheckError("there is no fetch index \"\(name)\" in the model")
    }
  }

  /// The type at the end of a key path.
  private static func end(
    of path: FetchPredicate.KeyPath, from start: Entity, isList: Bool, _ scope: ExpressionScope
  ) throws(PredicateCheckError) -> OperandType {
    guard let last = path.last else { throw PredicateCheckError("an empty key path on \(start.name)") }
    if let end = ObjectTrait.end(of: path, from: start) {
      let owner =
        end.owner.isEmpty
        ? OperandType(.object(start), isList: isList)
        : try Self.end(of: end.owner, from: start, isList: isList, scope)
      return end.trait == .identity ? owner : OperandType(.attribute(.string), isList: owner.isList)
    }
    if let end = ValueTrait.end(of: path, from: start) {
      let owner = try Self.end(of: end.owner, from: start, isList: isList, scope)
      return OperandType(end.function.resultType(of: owner).element, isList: owner.isList)
    }
    var here = start
    var isList = isList
    for (position, name) in path.dropLast().enumerated() {
      if !scope.allowsTransients { try here.requireStored(name) }
      if let attribute = here.attribute(name), attribute.type == .composite {
        let element = try here.element(of: attribute, path[(position + 1)...], scope)
        return OperandType(.attribute(element.type), isList: isList)
      }
      guard let relationship = here.relationship(name) else {
        throw PredicateCheckError(
          "\(here.name) has no relationship \"\(name)\" (key path \(path.joined(separator: ".")) from \(start.name))")
      }
      isList = isList || relationship.isToMany
      here = relationship.destination
    }
    if !scope.allowsTransients { try here.requireStored(last) }
    if let attribute = here.attribute(last) {
      _ = try here.element(of: attribute, [], scope)
      return OperandType(.attribute(attribute.type), isList: isList)
    }
    guard let relationship = here.relationship(last) else {
      throw PredicateCheckError(
        "\(here.name) has no property \"\(last)\" (key path \(path.joined(separator: ".")) from \(start.name))")
    }
    return OperandType(.object(relationship.destination), isList: isList || relationship.isToMany)
  }
}

extension Entity {
  /// - Throws: `PredicateCheckError` for a transient property, which no store can look at.
  func requireStored(_ name: String) throws(PredicateCheckError) {
    if attribute(name)?.isTransient == true || relationship(name)?.definition.isTransient == true {
      throw PredicateCheckError(
        "\(self.name).\(name) is transient: no store keeps its values, so a request can neither ask nor sort by it. "
          + "Fetch by stored properties and look at the objects then")
    }
  }

  /// The type at the rest of a key path after an attribute: an element of a composite, or the attribute itself.
  /// - Parameter scope: says whether a composite itself may be asked for, and a transient element.
  /// - Throws: `PredicateCheckError` for an element that is not there, and for a composite that is not taken apart.
  func element(
    of attribute: AttributeDefinition, _ rest: ArraySlice<String>, _ scope: ExpressionScope
  ) throws(PredicateCheckError) -> AttributeDefinition {
    var here = attribute
    var path = "\(name).\(attribute.name)"
    for name in rest {
      guard let next = here.element(at: [name]) else {
        let message = here.composite == nil ? "is no composite: it has" : "has"
        throw PredicateCheckError("\(path) \(message) no element \"\(name)\"")
      }
      path += "." + name
      here = next
      if here.isTransient && !scope.allowsTransients {
        throw PredicateCheckError(
          "\(path) is transient: no store keeps its values, so a request can neither ask nor sort by it")
      }
    }
    if let composite = here.composite, !scope.allowsTransients, !scope.allowsComposites {
      let example = composite.elements.first { !$0.isTransient }.map { ", such as \(path).\($0.name)" } ?? ""
      throw PredicateCheckError("\(path) is composite: a request asks for its elements\(example), or whether it is nil")
    }
    return here
  }
}

extension OperandType.Element {
  /// Whether such values compare as text, as far as the model says it.
  var canBeText: Bool {
    switch self {
    case .attribute(let type): [.string, .uri, .undefined, .objectID, .composite].contains(type)
    case .object: false
    case .unknown: true
    }
  }

  /// The common type of both; unknown when they differ. The unknown type of a constant null fits any type.
  func common(_ other: Self) -> Self {
    if self == other || other == .unknown { return self }
    if self == .unknown { return other }
    if case .object(let left) = self, case .object(let right) = other {
      return left.isKind(of: right) ? other : right.isKind(of: left) ? self : .unknown
    }
    if case .attribute(let left) = self, case .attribute(let right) = other, left.isNumber, right.isNumber {
      return .attribute(left.isInteger && right.isInteger ? .integer64 : .double)
    }
    return .unknown
  }
}

extension FetchExpression.Function {
  /// The result type of the function for a first operand of this type.
  func resultType(of operand: OperandType) -> OperandType {
    switch self {
    case .count, .length, .year, .month, .day, .hour, .minute, .second, .weekday: return .integer
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift, .onesComplement: return .integer
    case .minimum, .maximum, .indexed, .noIndex: return OperandType(operand.element)
    case .mode, .distinct: return OperandType(operand.element, isList: true)
    case .uppercase, .lowercase, .canonical, .append: return .text
    case .now, .startOfDay: return OperandType(.attribute(.date))
    case .sum, .add, .subtract, .multiply, .divide, .modulus, .absolute, .ceiling, .floor, .truncate:
      // Integers of any operand may become doubles, so this is what to expect, not what is sure.
      if case .attribute(let type) = operand.element, type.isInteger { return .integer }
      return .number
    case .average, .median, .standardDeviation, .power, .squareRoot, .naturalLogarithm, .logarithm, .exponential:
      return .number
    }
  }
}

extension FetchExpression.CastType {
  /// The type of what the cast gives; a number may also be an integer.
  public var attributeType: AttributeType {
    switch self {
    case .number: .double
    case .decimalNumber: .decimal
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .url: .uri
    case .data: .binary
    }
  }
}

extension Value {
  /// The type of attributes that hold such values; nil for null.
  var attributeType: AttributeType? {
    switch self {
    case .null: nil
    case .integer: .integer64
    case .boolean: .boolean
    case .double: .double
    case .decimal: .decimal
    case .string: .string
    case .date: .date
    case .data: .binary
    case .uuid: .uuid
    case .uri: .uri
    case .composite: .composite
    }
  }
}

extension AttributeType {
  var isInteger: Bool { [.integer16, .integer32, .integer64, .boolean].contains(self) }
  var isNumber: Bool { isInteger || [.decimal, .double, .float, .date].contains(self) }
}
