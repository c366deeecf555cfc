import Foundation
import ObjectModel
import Pipelines
import Platform
import StoreInterface

/// A file of changes as it was read, before a store is looked at.
struct ChangeFile {
  /// The change of one object.
  struct Record {
    /// From 1; the head is the first.
    var line: Int
    var change: PersistentHistoryChangeType
    var object: ChangeLine.Reference
    var values: [String: JSONContent]
    var relationships: [String: JSONContent]

    /// The name of the object in messages.
    var name: String { "\(object.entity)/\(object.primaryKey)" }
  }

  let path: String
  let head: ChangeLine.Head
  let records: [Record]

  /// Reads a whole file.
  /// - Throws: `RunError` that names the line.
  init(path: String) throws(RunError) {
    self.path = path
    let data = try Self.contents(of: path)
    let decoder = JSONDecoder()
    var head: ChangeLine.Head?
    var records: [Record] = []
    var line = 0
    for bytes in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
      line += 1
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
      guard let object = (try? decoder.decode(JSONContent.self, from: Data(bytes)))?.object else {
        throw Self.error(path, line, "it is no JSON object")
      }
      if let name = RepeatedMember.name(in: Data(bytes)) {
        throw Self.error(path, line, "\"\(name)\" is there twice in one object")
      }
      if head == nil {
        guard let store = object["changesOf"]?.string, let token = object["token"]?.string else {
          throw RunError(
            .badData, code: "changes.no-head",
            "\(path):\(line): it does not begin as a file of changes does, with \"changesOf\" and \"token\"",
            hint: "seedbed history STORE --json --values writes one")
        }
        if let count = object["objects"], count.integer.map({ $0 < 0 }) ?? true {
          throw RunError(
            .badData, code: "changes.no-head", "\(path):\(line): \"objects\" is no number of changes",
            hint: "seedbed history STORE --json --values writes one")
        }
        head = ChangeLine.Head(
          store: store, token: token, authors: (object["authors"]?.array ?? []).compactMap(\.string),
          objectCount: object["objects"]?.integer.map { Int(clamping: $0) })
      } else {
        records.append(try Self.record(object, path, line))
      }
    }
    guard let head else {
      throw RunError(
        .badData, code: "changes.no-head", "\(path) is empty", hint: "seedbed history STORE --json --values writes one")
    }
    if let count = head.objectCount, count != records.count {
      throw RunError(
        .badData, code: "changes.cut-off",
        "\(path) has \(records.count.counted("change")) of the \(count.grouped) that its first line tells of",
        hint: "it was cut off, or changed: write it anew with seedbed history STORE --json --values")
    }
    self.head = head
    self.records = records
  }

  /// All bytes of a file, a FIFO or standard input, which is `-`.
  private static func contents(of path: String) throws(RunError) -> Data {
    let content = PathContent(at: path)
    switch content {
    case _ where path == "-", .file, .fifo:
      let handle = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path)
      if let data = try? handle?.readToEnd() ?? Data(), handle != nil { return data }
      throw RunError(.missingInput, code: "changes.missing", "\(path) cannot be read", hint: "may it be read?")
    case .nothing:
      throw RunError(.missingInput, code: "changes.missing", "\(path): there is no such file")
    default:
      throw RunError(
        .missingInput, code: "changes.missing", "\(path) is \(content.text), not a file of changes",
        hint: "seedbed history STORE --json --values writes one")
    }
  }

  /// An error about a line.
  static func error(
    _ path: String, _ line: Int, _ what: String, code: String = "changes.malformed", hint: String? = nil
  ) -> RunError {
    RunError(.badData, code: code, "\(path):\(line): \(what)", hint: hint)
  }

  private static func record(_ object: [String: JSONContent], _ path: String, _ line: Int) throws(RunError) -> Record {
    let types = Dictionary(uniqueKeysWithValues: PersistentHistoryChangeType.allCases.map { ("\($0)", $0) })
    guard let change = object["change"]?.string.flatMap({ types[$0] }) else {
      throw error(path, line, "\"change\" is not insert, update or delete")
    }
    guard let reference = reference(object) else {
      throw error(path, line, "it has no \"entity\" and \"primaryKey\"")
    }
    let known: Set = ["change", "entity", "primaryKey", "key", "values", "relationships"]
    if let other = object.keys.filter({ !known.contains($0) }).min() {
      throw error(path, line, "\"\(other)\" is no part of a change")
    }
    func members(_ name: String) throws(RunError) -> [String: JSONContent] {
      guard let content = object[name] else { return [:] }
      guard let members = content.object else { throw error(path, line, "\"\(name)\" is no object") }
      return members
    }
    let record = Record(
      line: line, change: change, object: reference, values: try members("values"),
      relationships: try members("relationships"))
    if change == .delete, !record.values.isEmpty || !record.relationships.isEmpty {
      throw error(path, line, "\(record.name) is deleted and has values")
    }
    return record
  }

  /// How a file names an object; nil for anything else.
  static func reference(_ object: [String: JSONContent]) -> ChangeLine.Reference? {
    guard let entity = object["entity"]?.string, let primaryKey = object["primaryKey"]?.integer else { return nil }
    return ChangeLine.Reference(entity: entity, primaryKey: primaryKey, key: object["key"]?.object)
  }
}
