import ModelFiles
import ObjectModel
import Testing

// Names and imports that depend on the rest of the model.
extension AccessorTests {
  @Test("methods of relationships whose names differ by case and underscores have names of their own")
  func methodNames() throws {
    var entity = EntityDefinition("Post")
    entity.attributes = [AttributeDefinition("Tags", .string)]
    entity.relationships = ["tags", "_tags", "__tags"].map { RelationshipDefinition($0, toMany: "Post") }
    let model = try ManagedObjectModel(entities: [entity])
    let text = AccessorGenerator(model: model, modelName: "m").files().map(\.text).joined()
    let names = text.matches(of: #/func addTo(\w+)\(_ value:/#).map { String($0.1) }
    #expect(names.sorted() == ["___tags", "__tags", "_tags"])
  }

  @Test(
    "only a Transformable attribute whose type is Foundation's makes an import public",
    arguments: [(nil, false), ("NSArray", false), ("NSURL", true), ("Array<Date>", true)] as [(String?, Bool)])
  func publicImport(className: String?, isPublic: Bool) throws {
    var list = AttributeDefinition("list", .transformable)
    list.attributeValueClassName = className
    var child = EntityDefinition("Child")
    child.superentityName = "Base"
    child.attributes = [list]
    let model = try ManagedObjectModel(entities: [EntityDefinition("Base"), child])
    let files = AccessorGenerator(model: model, modelName: "m", isPublic: true).files()
    let text = files.first { $0.name == "Child+Properties.swift" }?.text
    #expect(text?.contains("\npublic import Seedbed\n") == isPublic)
  }
}
