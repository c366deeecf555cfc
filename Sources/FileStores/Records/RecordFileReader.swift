import Foundation
import ObjectModel
import SeedFormats
import StoreInterface

/// The contents of one field of a record.
enum RecordCell {
  case missing
  case text(String)
  case list([String])
}

/// A record of a file, one cell for each column of its layout.
struct RecordRow {
  var cells: [RecordCell]
  var line: UInt64
}

/// Reads a record file with the scanners of seeds.
struct RecordFileReader {
  private let file: RecordLayout.File
  private let format: RecordFileFormat

  init(_ file: RecordLayout.File, format: RecordFileFormat) {
    self.file = file
    self.format = format
  }

  /// All records in their order.
  /// - Throws: `StoreError.failure` with the line of the first mistake.
  func records(in data: Data) throws(StoreError) -> [RecordRow] {
    do {
      return try read(data)
    } catch {
      throw .ofRecords(error)
    }
  }

  private func read(_ data: Data) throws -> [RecordRow] {
    let names = file.columns.map(\.name)
    let present: [String]
    if format == .csv {
      present = try RecordReader(source: MemorySource(data), options: format.options, projection: []).columns
      if let unknown = present.first(where: { !names.contains($0) }) {
        throw StoreError.failure("the column \"\(unknown)\" is no property of \(file.entity.name)")
      }
    } else {
      present = names
    }
    // The last field is the whole record, for a look at its keys.
    let projection = present + (format == .csv ? [] : [""])
    let reader = try RecordReader(source: MemorySource(data), options: format.options, projection: projection)
    let batch = RecordBatch(fieldCount: projection.count)
    let lists = try JSONFields(projection: [])
    var rows: [RecordRow] = []
    while try reader.next(batch) {
      if let fault = batch.faults.first {
        throw StoreError.failure("line \(fault.place.line): \(fault.message)")
      }
      for record in 0..<batch.count {
        let line = batch.place(ofRecord: record).line
        if format != .csv { try checkKeys(batch, record, names, line) }
        var cells: [RecordCell] = []
        for column in file.columns {
          guard let field = present.firstIndex(of: column.name) else {
            cells.append(.missing)
            continue
          }
          cells.append(try cell(batch, batch.field(field, ofRecord: record), column, lists, line))
        }
        rows.append(RecordRow(cells: cells, line: line))
      }
    }
    return rows
  }

  /// A key that is no property would be lost with the next save.
  private func checkKeys(_ batch: RecordBatch, _ record: Int, _ names: [String], _ line: UInt64) throws {
    let whole = batch.field(batch.fieldCount - 1, ofRecord: record)
    guard whole.kind == .object,
      let object = try JSONSerialization.jsonObject(with: Data(batch.text(of: whole).utf8)) as? [String: Any]
    else { throw StoreError.failure("line \(line): the record is no JSON object") }
    if let unknown = Self.unknownKey(object, names.map { $0.split(separator: ".")[...] }) {
      throw StoreError.failure("line \(line): \"\(unknown)\" is no property of \(file.entity.name)")
    }
  }

  /// The first key, by name, that is on no path; the elements of a composite lie in an object of their own.
  private static func unknownKey(_ object: [String: Any], _ paths: [ArraySlice<Substring>]) -> String? {
    for (key, value) in object.sorted(by: { $0.key < $1.key }) {
      let inner = paths.filter { $0.first.map(String.init) == key }.map { $0.dropFirst() }
      if inner.isEmpty { return key }
      if inner.contains(where: \.isEmpty) || value is NSNull { continue }
      guard let elements = value as? [String: Any] else { return key }
      if let unknown = unknownKey(elements, inner) { return "\(key).\(unknown)" }
    }
    return nil
  }

  private func cell(
    _ batch: RecordBatch, _ slice: FieldSlice, _ column: RecordColumn, _ lists: JSONFields, _ line: UInt64
  ) throws -> RecordCell {
    let isEmpty = format == .csv && slice.length == 0 && !slice.isQuoted
    if slice.kind == .absent || slice.kind == .null || isEmpty { return .missing }
    var type: AttributeType?
    switch column.content {
    case .attribute(_, _, let attribute): type = attribute.type
    case .toOne: break
    case .toMany:
      var elements: [FieldSlice] = []
      try lists.elements(of: slice, in: batch, into: &elements)
      return .list(
        try elements.map { element in
          guard element.kind == .string || element.kind == .number else { throw misfit(column, line) }
          return batch.text(of: element)
        })
    }
    if format != .csv, !Self.fits(slice.kind, type) { throw misfit(column, line) }
    return .text(batch.text(of: slice))
  }

  private func misfit(_ column: RecordColumn, _ line: UInt64) -> StoreError {
    .failure("line \(line): \(file.entity.name).\(column.name) is of a JSON type that the property does not have")
  }

  /// Whether a JSON value of that kind may stand for a value of the type; nil for a key.
  private static func fits(_ kind: FieldSlice.Kind, _ type: AttributeType?) -> Bool {
    switch (kind, type) {
    case (.true, .boolean), (.false, .boolean): true
    case (.number, nil), (.number, .date), (.number, .decimal): true
    case (.number, .integer16), (.number, .integer32), (.number, .integer64), (.number, .double), (.number, .float):
      true
    case (.string, nil), (.string, .string), (.string, .date), (.string, .decimal), (.string, .binary): true
    case (.string, .transformable), (.string, .uuid), (.string, .uri), (.string, .double), (.string, .float): true
    default: false
    }
  }
}
