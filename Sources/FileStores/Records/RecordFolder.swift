import Foundation
import MemoryStore
import ObjectModel
import StoreInterface

/// The files of a record folder, each with the digest of what was read or written last.
struct RecordFolder {
  let layout: RecordLayout
  /// The files in the order of those of the layout.
  private var files: [AtomicFile]

  init(path: String, layout: RecordLayout) {
    self.layout = layout
    files = layout.files.map { file in
      AtomicFile(path: path + "/" + Self.name(file.entity.name, layout.format))
    }
  }

  /// The name of an entity's file.
  static func name(_ entityName: String, _ format: RecordFileFormat) -> String {
    entityName + "." + format.fileExtension
  }

  /// Reads all files; one that is not there has no records.
  /// - Throws: `StoreError.notAStore` with file and line of the first mistake.
  mutating func read(
    identifier: UUID, newID: (Entity, ReferenceObject) -> ObjectID
  ) throws -> StoreContents {
    var graph = RecordGraph(layout: layout, identifier: identifier)
    var parts: [(rows: [RecordRow], positions: Range<Int>)] = []
    for (index, file) in layout.files.enumerated() {
      guard let data = try files[index].read() else {
        parts.append(([], 0..<0))
        continue
      }
      try StoreError.naming(files[index].path) {
        let rows = try RecordFileReader(file, format: layout.format).records(in: data)
        parts.append((rows, try graph.add(rows, of: file, newID: newID)))
      }
    }
    for (index, file) in layout.files.enumerated() {
      try StoreError.naming(files[index].path) {
        try graph.link(parts[index].rows, parts[index].positions, of: file)
      }
    }
    return graph.finished()
  }

  /// Writes the files whose records have changed. All of them are written beside the old ones before the first takes
  /// its place.
  /// - Throws: `StoreError.failure` when a file was changed by another process, or for a value that cannot be written.
  mutating func write(_ contents: StoreContents) throws(StoreError) {
    var lists: [ObjectID: [String: [ObjectID]]] = [:]
    for list in contents.toMany { lists[list.owner, default: [:]][list.relationshipName] = list.members }
    var snapshots: [ObjectID: Snapshot] = [:]
    var byEntity: [Int: [Snapshot]] = [:]
    for snapshot in contents.snapshots {
      snapshots[snapshot.objectID] = snapshot
      byEntity[snapshot.objectID.entity.index, default: []].append(snapshot)
    }
    var data: [Data?] = []
    for (index, file) in layout.files.enumerated() {
      let own = byEntity[file.entity.index] ?? []
      if own.isEmpty && !files[index].isThere {
        data.append(nil)
        continue
      }
      var records: [[RecordField]] = []
      for snapshot in own {
        var record: [RecordField] = []
        for column in file.columns {
          record.append(try value(column, snapshot, lists[snapshot.objectID] ?? [:], snapshots))
        }
        records.append(record)
      }
      data.append(try RecordFileWriter(file, format: layout.format).data(records))
    }
    try AtomicFile.write(data, to: &files)
  }

  private func value(
    _ column: RecordColumn, _ snapshot: Snapshot, _ lists: [String: [ObjectID]], _ snapshots: [ObjectID: Snapshot]
  ) throws(StoreError) -> RecordField {
    switch column.content {
    case .attribute(let index, let element, _): return .value(snapshot.attributes[index].element(at: element))
    case .toOne(let index, let relationship):
      guard let id = snapshot.toOne[index] else { return .value(.null) }
      return .value(.string(try key(id, relationship, snapshots)))
    case .toMany(let relationship):
      guard let members = lists[relationship.name] else { return .value(.null) }
      var keys: [String] = []
      for member in members { keys.append(try key(member, relationship, snapshots)) }
      return .list(keys)
    }
  }

  private func key(
    _ id: ObjectID, _ relationship: Relationship, _ snapshots: [ObjectID: Snapshot]
  ) throws(StoreError) -> String {
    let place = "\(relationship.entity.name).\(relationship.name)"
    guard let snapshot = snapshots[id] else {
      throw .failure("\(place) leads to an object that was deleted, which a record file cannot say")
    }
    guard let key = layout.keyText(of: snapshot, in: relationship.destination), !key.isEmpty else {
      throw .failure("\(place) leads to an object of \(id.entity.name) that has no key")
    }
    return key
  }
}
