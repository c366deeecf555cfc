import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// Names that Xcode refuses are warnings, and the model is read.
@Suite("Names that Xcode refuses")
struct NameAdviceTests {
  private func warnings(entity: String = "Item", property: String) throws -> [ModelError.Problem] {
    let folder = try TemporaryFolder()
    let xml = """
      <model documentVersion="1.0">
      <entity name="\(entity)">
      <attribute name="\(property)" optional="YES" attributeType="String"/>
      </entity>
      </model>
      """
    let file = try ModelReader.readFile(path: try folder.write(xml, to: "A.xcdatamodel/contents"))
    #expect(file.model[entity]?.attribute(property) != nil)
    return file.warnings
  }

  @Test("properties with a capital initial", arguments: ["Price", "SKU", "Übergang", "Éa", "Я"])
  func capitals(name: String) throws {
    let warning = try #require(try warnings(property: name).first)
    #expect(warning.code == .invalidName && warning.line == 3)
    #expect(warning.message == "the attribute Item.\(name) begins with a capital letter, which Xcode refuses")
    #expect(warning.hint?.contains("renaming identifier \(name)") == true)
  }

  @Test("entities with a small initial", arguments: ["item", "übergang", "iPhone"])
  func smallEntities(name: String) throws {
    let warning = try #require(try warnings(entity: name, property: "a").first)
    #expect(warning.code == .invalidName && warning.line == 2)
    #expect(warning.message == "the entity \(name) begins with a small letter, which Xcode refuses")
  }

  @Test(
    "properties with the name of a method of every object",
    arguments: [
      "description", "hash", "entity", "objectID", "isDeleted", "isInserted", "isUpdated", "isFault",
      "managedObjectContext", "self", "class", "copy", "init", "hasChanges", "debugDescription", "superclass",
    ])
  func reserved(name: String) throws {
    let warning = try #require(try warnings(property: name).first)
    #expect(warning.message.hasPrefix("Item.\(name) has the name of a method of every managed object"))
    #expect(warning.hint?.hasPrefix("call it item\(name.prefix(1).uppercased())") == true)
  }

  @Test("a name that is taken is not the advice")
  func taken() throws {
    let folder = try TemporaryFolder()
    let xml = """
      <model documentVersion="1.0">
      <entity name="Item">
      <attribute name="Id" optional="YES" attributeType="String"/>
      <attribute name="id" optional="YES" attributeType="String"/>
      <attribute name="hash" optional="YES" attributeType="String"/>
      <attribute name="itemHash" optional="YES" attributeType="String"/>
      </entity>
      </model>
      """
    let file = try ModelReader.readFile(path: try folder.write(xml, to: "A.xcdatamodel/contents"))
    #expect(
      file.warnings.compactMap(\.hint).sorted() == [
        "call it otherwise (id is taken), with the renaming identifier Id",
        "call it otherwise (itemHash is taken), with the renaming identifier hash",
      ])
  }

  @Test(
    "other names are accepted",
    arguments: ["price", "_Price", "version", "updated", "name", "ºname", "東京", "id", "hashValues", "x1"])
  func fine(name: String) throws {
    #expect(try warnings(property: name).map(\.message) == [])
    #expect(try warnings(entity: "東京", property: name).map(\.message) == [])
    #expect(try warnings(entity: "_item", property: name).map(\.message) == [])
  }
}
