public import ObjectModel

import class Foundation.NSNumber

extension AttributeDescription {
  /// The conditions that every value must meet, in which `SELF` is the value: those of `minimumValue`, `maximumValue`
  /// and `regularExpression`, and the program's own.
  public var validationPredicates: [FetchPredicate] {
    definition.limitPredicates.map(\.predicate)
      + definition.validationRules.map { FetchPredicate(format: $0.predicate) }
  }

  /// What is said of values that do not meet the `validationPredicates`, one for each: the number of Core Data's error
  /// for those of the model's limits, and where no text was given.
  public var validationWarnings: [Any] {
    definition.limitPredicates.map { NSNumber(value: $0.code) }
      + definition.validationRules.map { rule -> Any in
        rule.warning ?? NSNumber(value: CoreDataErrorCode.managedObjectValidation)
      }
  }

  /// Sets all conditions that values must meet, those of limits included: a predicate that says what `minimumValue`,
  /// `maximumValue` or `regularExpression` can say, and has no warning, becomes that. They are no part of the version
  /// hash. A predicate that has no text, such as a closure, stops the program, and so does a key that values do not
  /// have when one is checked.
  /// - Parameters:
  ///   - predicates: `SELF` in them is the value, and `length` the length of a text.
  ///   - warnings: what is said of values that do not meet them, one for each predicate.
  public func setValidationPredicates(
    _ predicates: [FetchPredicate]?, withValidationWarnings warnings: [String]?
  ) {
    let predicates = predicates ?? []
    let warnings = warnings ?? []
    precondition(
      warnings.count <= predicates.count, "\(warnings.count) warnings for \(predicates.count) predicates of \(name)")
    var rules: [AttributeDefinition.ValidationRule] = []
    self.minimumValue = .null
    self.maximumValue = .null
    self.regularExpression = nil
    for (index, predicate) in predicates.enumerated() {
      let warning = warnings.indices.contains(index) ? warnings[index] : nil
      if warning == nil, takeLimit(predicate) { continue }
      let (text, arguments) = predicate.formatWithArguments
      precondition(arguments.isEmpty && !predicate.hasBlocks, "a model cannot keep the predicate \(predicate)")
      rules.append(AttributeDefinition.ValidationRule(predicate: text, warning: warning))
    }
    self.validationRules = rules
  }

  /// Whether a predicate is one of a limit that is not there yet, which is set.
  private func takeLimit(_ predicate: FetchPredicate) -> Bool {
    guard case .compare(let comparison) = predicate.generalized, comparison.modifier == .direct,
      comparison.options.isEmpty, case .constant(let bound) = comparison.right,
      comparison.left == definition.limited(by: comparison.comparisonOperator)
    else { return false }
    switch comparison.comparisonOperator {
    case .greaterOrEqual where definition.minimumValue == .null:
      guard let bound = definition.bound(bound) else { return false }
      self.minimumValue = bound
    case .lessOrEqual where definition.maximumValue == .null:
      guard let bound = definition.bound(bound) else { return false }
      self.maximumValue = bound
    case .matches where definition.regularExpression == nil:
      guard let pattern = bound.string, !pattern.isEmpty, (try? TextPattern.whole(pattern)) != nil else { return false }
      self.regularExpression = pattern
    default: return false
    }
    return true
  }
}

extension AttributeDefinition {
  /// The limits as predicates, with the numbers of Core Data's errors.
  fileprivate var limitPredicates: [(predicate: FetchPredicate, code: Int)] {
    let codes = ValidationCodes(type)
    var limits: [(predicate: FetchPredicate, code: Int)] = []
    func add(_ sign: FetchPredicate.Comparison.Operator, _ bound: Value, _ code: Int) {
      guard bound != .null, let left = limited(by: sign) else { return }
      limits.append((.compare(FetchPredicate.Comparison(left, sign, .constant(bound))), code))
    }
    add(.greaterOrEqual, minimumValue, codes.below)
    add(.lessOrEqual, maximumValue, codes.above)
    add(.matches, regularExpression.map { .string($0) } ?? .null, CoreDataErrorCode.validationStringPatternMatching)
    return limits
  }

  /// What a limit compares: the length of a text, or the value; nil where the type has no such limit.
  fileprivate func limited(by sign: FetchPredicate.Comparison.Operator) -> FetchExpression? {
    switch type {
    case .string: sign == .matches ? .selfObject : .keyPath(["length"])
    case .integer16, .integer32, .integer64, .decimal, .double, .float, .date: sign == .matches ? nil : .selfObject
    default: nil
    }
  }

  /// A constant as a limit of the attribute; nil for one that cannot be.
  fileprivate func bound(_ value: Value) -> Value? {
    if type == .string { return value.integer.map { $0 >= 0 } == true ? value : nil }
    return value == .null ? nil : converted(value)
  }
}
