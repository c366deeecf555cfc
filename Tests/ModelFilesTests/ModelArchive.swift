import ModelFiles
import ObjectModel

typealias Node = ArchiveBuilder.Node

/// Archives of models of our own making, as compiled models hold them.
enum ModelArchive {
  static func attribute(_ name: String, _ type: AttributeType, _ more: [String: Node] = [:]) -> (String, Node) {
    var fields: [String: Node] = [
      "NSPropertyName": .text(name), "NSAttributeType": .integer(Int(type.rawValue)), "NSIsOptional": .flag(true),
      "NSRenamingIdentifier": .text(name), "NSFlagsKey": .integer(0), "_P": .integer(243),
    ]
    fields.merge(more) { _, new in new }
    return (name, .object("NSAttributeDescription", fields))
  }

  static func entity(_ name: String, _ properties: [(String, Node)], _ more: [String: Node] = [:]) -> (String, Node) {
    var fields: [String: Node] = [
      "NSEntityName": .text(name), "NSClassNameForEntity": .text("NSManagedObject"),
      "NSProperties": .dictionary(properties), "NSUserInfo": .dictionary([]), "NSRenamingIdentifier": .text(name),
    ]
    fields.merge(more) { _, new in new }
    return (name, .object("NSEntityDescription", fields))
  }

  static func model(_ entities: [(String, Node)], _ more: [String: Node] = [:]) -> Node {
    var fields: [String: Node] = ["NSEntities": .dictionary(entities)]
    fields.merge(more) { _, new in new }
    return .object("NSManagedObjectModel", fields)
  }

  static func bytes(_ root: Node) -> [UInt8] {
    var builder = ArchiveBuilder()
    return builder.finish(root: builder.archive(root))
  }

  static func read(_ root: Node) throws(ModelError) -> ModelFile {
    try CompiledModelReader.read(archive: bytes(root), origin: "made.mom")
  }

  /// The file of a model whose one entity A has these properties.
  static func read(properties: [(String, Node)]) throws(ModelError) -> ModelFile {
    try read(model([entity("A", properties)]))
  }

  // MARK: - Predicates

  static let this = Node.object("NSSelfExpression", ["NSExpressionType": .integer(1)])

  static func path(_ keyPath: String) -> Node {
    let specifier = Node.object("NSKeyPathSpecifierExpression", ["NSKeyPath": .text(keyPath)])
    return .object(
      "NSKeyPathExpression",
      ["NSOperand": this, "NSSelectorName": .text("valueForKeyPath:"), "NSArguments": .array([specifier])])
  }

  static func variable(_ name: String) -> Node { .object("NSVariableExpression", ["NSVariable": .text(name)]) }

  static func constant(_ value: Node) -> Node { .object("NSConstantValueExpression", ["NSConstantValue": value]) }

  static func function(_ selector: String, _ arguments: [Node]) -> Node {
    let utilities = Node.object(
      "NSConstantValueExpression", ["NSConstantValueClassName": .text("_NSPredicateUtilities")])
    return .object(
      "NSFunctionExpression",
      ["NSOperand": utilities, "NSSelectorName": .text(selector), "NSArguments": .array(arguments)])
  }

  static func compare(
    _ left: Node, _ operation: Int, _ right: Node, _ more: [String: Node] = [:],
    class name: String = "NSComparisonPredicateOperator"
  ) -> Node {
    var fields: [String: Node] = ["NSOperatorType": .integer(operation), "NSModifier": .integer(0)]
    fields.merge(more) { _, new in new }
    return .object(
      "NSComparisonPredicate",
      ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": .object(name, fields)])
  }

  static func compound(_ kind: Int, _ parts: [Node]) -> Node {
    .object(
      "NSCompoundPredicate", ["NSCompoundPredicateType": .integer(kind), "NSSubpredicates": .array(parts)])
  }
}
