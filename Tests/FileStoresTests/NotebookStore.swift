import FileStores
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestStores

/// A store over data that only a program of its own understands: it can enumerate its notes and no more.
final class NotebookStore: IncrementalStore, @unchecked Sendable {
  struct Note {
    var text: String
    var rank: Int64?
    var parent: String?
    var related: Set<String> = []
    var version: Int64 = 1
  }

  /// By name.
  private(set) var notes: [String: Note] = [:]
  var refusesSaves = false
  private let note: Entity

  init(model: ManagedObjectModel) throws {
    note = try model.required("Note")
    try super.init(description: PersistentStoreDescription(type: .inMemory), model: model)
    try load()
  }

  static func model() throws -> ManagedObjectModel {
    var note = EntityDefinition("Note")
    note.attributes = [
      AttributeDefinition("name", .string), AttributeDefinition("text", .string),
      AttributeDefinition("rank", .integer64),
    ]
    note.uniquenessConstraints = [["name"], ["text", "parent"]]
    note.relationships = [
      RelationshipDefinition("parent", toOne: "Note", inverse: "children"),
      RelationshipDefinition("children", toMany: "Note", inverse: "parent"),
      RelationshipDefinition("related", toMany: "Note", inverse: "mentions"),
      RelationshipDefinition("mentions", toMany: "Note", inverse: "related"),
    ]
    return try ManagedObjectModel(entities: [note])
  }

  override func loadMetadata() throws -> Metadata { Metadata(identifier: UUID()) }

  override func execute(_ request: FetchSpecification) throws -> [ObjectID] {
    try evaluate(request, over: notes.keys.map { newObjectID(for: note, referenceObject: .string($0)) })
  }

  override func newValues(for objectID: ObjectID) throws -> IncrementalStoreNode? {
    guard case .string(let name) = referenceObject(for: objectID), let found = notes[name] else { return nil }
    return try IncrementalStoreNode(
      objectID: objectID, version: found.version,
      values: ["name": .string(name), "text": .string(found.text), "rank": found.rank.map { .integer($0) } ?? .null],
      destinations: found.parent.map { ["parent": newObjectID(for: note, referenceObject: .string($0))] } ?? [:])
  }

  override func newValue(for relationship: Relationship, of owner: ObjectID) throws -> [ObjectID] {
    guard case .string(let name) = referenceObject(for: owner) else { return [] }
    let members =
      switch relationship.name {
      case "related": (notes[name]?.related ?? []).sorted()
      case "mentions": notes.filter { $0.value.related.contains(name) }.keys.sorted()
      default: notes.filter { $0.value.parent == name }.keys.sorted()
      }
    return members.map { newObjectID(for: note, referenceObject: .string($0)) }
  }

  override func obtainPermanentIDs(for objects: [Snapshot]) throws -> [ReferenceObject] {
    try objects.map { .string(try name(IncrementalStoreNode($0))) }
  }

  override func execute(_ request: SaveRequest) throws {
    if refusesSaves { throw StoreError.failure("not now") }
    for deletion in request.deleted {
      if case .string(let name) = referenceObject(for: deletion.objectID) { notes[name] = nil }
    }
    for node in (request.inserted + request.updated).map({ IncrementalStoreNode($0) }) {
      var changed = Note(text: "")
      if case .string(let text) = node[attribute: "text"] { changed.text = text }
      if case .integer(let rank) = node[attribute: "rank"] { changed.rank = rank }
      if let parent = node[destination: "parent"], case .string(let name) = referenceObject(for: parent) {
        changed.parent = name
      }
      let name = try name(node)
      changed.related = notes[name]?.related ?? []
      changed.version = (notes[name]?.version ?? 0) + 1
      notes[name] = changed
    }
    for change in request.toMany {
      guard case .string(let owner) = referenceObject(for: change.owner) else { continue }
      let members = Set(
        change.members.compactMap { id -> String? in
          if case .string(let name) = referenceObject(for: id) { name } else { nil }
        })
      if change.relationshipName == "related" {
        notes[owner]?.related = members
      } else {
        for name in notes.keys {
          if members.contains(name) { notes[name]?.related.insert(owner) } else { notes[name]?.related.remove(owner) }
        }
      }
    }
  }

  private func name(_ node: IncrementalStoreNode) throws -> String {
    guard case .string(let name) = node[attribute: "name"] else { throw StoreError.failure("a note needs a name") }
    return name
  }
}
