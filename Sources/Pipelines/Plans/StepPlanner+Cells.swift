import Foundation
import ObjectModel
import Predicates

/// Compiles what is mapped to attributes.
extension StepPlanner {
  func cell(
    _ attribute: AttributeDefinition, property: String, mapped: MappedAttribute, column: Int,
    slots: inout SlotList, at position: FilePosition
  ) throws(RunError) -> CellPlan {
    let expression = mapped.expression.preferringColumns(columns)
    let attribute = isRestoring ? attribute.withoutLimits : attribute
    guard attribute.derivation == nil || isRestoring else {
      throw failure(
        "pipeline.derived-attribute", "\(property) is derived: the store computes it", at: position,
        hint: "take it out of map")
    }
    let isTyped = attribute.type != .undefined && attribute.type != .objectID
    guard attribute.type != .composite, isTyped || isRestoring else {
      throw attribute.type == .undefined
        ? failure(
          "pipeline.attribute-type", "\(property) has no type in the model (attributeType)", at: position,
          hint: "choose one in Xcode's model editor, such as attributeType=\"String\" in the file contents")
        : failure(
          "pipeline.attribute-type", "an attribute of type \(attribute.type.title.name) cannot be imported",
          at: position)
    }
    let input: CellPlan.Input
    switch expression.root {
    case .field(let path): input = .field(slot: slots.slot(of: path))
    case .constant(let value): input = .constant(expression.writtenNumber(for: attribute) ?? value)
    case .call(.duration, let arguments):
      if arguments.count == 1, case .field(let path) = arguments[0], attribute.type.isInteger {
        input = .duration(slot: slots.slot(of: path))
      } else {
        input = .expression(try evaluator(expression, slots: &slots, at: position))
      }
    case .call(.normalized, let arguments):
      if arguments.count == 1, case .field(let path) = arguments[0], attribute.type == .string {
        input = .normalized(slot: slots.slot(of: path))
      } else {
        input = .expression(try evaluator(expression, slots: &slots, at: position))
      }
    default:
      input = .expression(
        try evaluator(expression, slots: &slots, at: position, takesList: attribute.type == .transformable))
    }
    let zone = mapped.timeZone ?? step.source.timeZone
    let dates: DateParser
    do {
      dates = try DateParser(format: mapped.dateFormat ?? step.source.dateFormat, timeZone: zone)
    } catch {
      throw failure("pipeline.date-format", "\(error)", at: position)
    }
    var fallback: RecordExpressionValue?
    if let expression = mapped.defaultValue {
      var none = SlotList()
      let compiled = try evaluator(expression, slots: &none, at: position, takesList: attribute.type == .transformable)
      guard none.paths.isEmpty else {
        throw failure("pipeline.default", "default must be a constant", at: position, hint: "use coalesce() in from:")
      }
      do {
        fallback = expression.writtenNumber(for: attribute)
        if fallback == nil { fallback = try compiled.evaluate(NoFields()) }
      } catch {
        throw failure("pipeline.default", error.message, at: position)
      }
    }
    return CellPlan(
      column: column, property: property, attribute: attribute, input: input,
      nulls: (mapped.nulls ?? step.source.nulls).map { Array($0.utf8) }, dates: dates, pattern: pattern(of: attribute),
      defaultValue: fallback,
      slots: expression.fieldPaths.map { slots.slot(of: $0) }, isRestored: isRestoring)
  }

  /// The pattern as `AttributeValidator` matches it; that the expression is valid was checked for the whole entity.
  private func pattern(of attribute: AttributeDefinition) -> NSRegularExpression? {
    guard attribute.type == .string, let source = attribute.regularExpression, !source.isEmpty else { return nil }
    return try? TextPattern.whole(source)
  }

  /// - Parameter takesList: whether what gets the value can hold a list.
  func evaluator(
    _ expression: RecordExpression, slots: inout SlotList, at position: FilePosition, takesList: Bool = false
  ) throws(RunError) -> RecordExpressionEvaluator {
    let expression = expression.preferringColumns(columns)
    if expression.root.misplacesList(isTaken: takesList) {
      throw failure(
        "pipeline.list",
        "words(), and split() without a number, give a list, which only a Transformable attribute or a to-many "
          + "relationship takes",
        at: position, hint: "split(text, separator, 1) takes the first piece of a text")
    }
    if !step.source.format.isJSON, expression.root.takesFirst {
      throw failure(
        "pipeline.first", "first() looks into JSON arrays, and fields of CSV are texts", at: position,
        hint: "split(text, separator, 1) takes the first piece of a text")
    }
    var table: [String: Int] = [:]
    for path in expression.fieldPaths { table[path] = slots.slot(of: path) }
    do {
      return try RecordExpressionEvaluator(expression, slots: table, dates: sourceDates, resources: resources)
    } catch {
      throw failure("pipeline.expression", error.message, at: position, hint: error.hint)
    }
  }
}

extension RecordExpression {
  /// A constant number as it is written, for an attribute that keeps texts: `value: 007` is not 7 there. Nil for any
  /// other expression or attribute.
  fileprivate func writtenNumber(for attribute: AttributeDefinition) -> RecordExpressionValue? {
    guard attribute.type == .string, case .constant(let value) = root else { return nil }
    switch value {
    case .integer, .double, .decimal:
      // Parentheses and blanks around it, or behind its sign, are the expression's.
      return .string(source.filter { !$0.isWhitespace && $0 != "(" && $0 != ")" })
    default: return nil
    }
  }
}
