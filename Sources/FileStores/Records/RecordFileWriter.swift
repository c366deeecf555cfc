import Foundation
import ObjectModel
import PropertyLists
import SeedFormats
import StoreInterface

/// Writes a record file with the writers of seeds.
struct RecordFileWriter {
  private let file: RecordLayout.File
  private let format: RecordFileFormat

  init(_ file: RecordLayout.File, format: RecordFileFormat) {
    self.file = file
    self.format = format
  }

  /// The whole file.
  /// - Parameter records: for each record one value for each column; relationships as texts and lists of texts.
  /// - Throws: `StoreError.failure` for a value that the format has no way to write.
  func data(_ records: [[RecordField]]) throws(StoreError) -> Data {
    let sink = MemorySink()
    do {
      switch format {
      case .csv: try write(records, CSVWriter(sink: sink))
      case .ndjson, .json: try write(records, NDJSONWriter(sink: sink))
      }
    } catch {
      throw .ofRecords(error)
    }
    let data = Data(sink.bytes)
    return format == .json ? Self.array(ofLines: data) : data
  }

  /// The lines as elements of an array, one on each line.
  private static func array(ofLines lines: Data) -> Data {
    let objects = lines.split(separator: UInt8(ascii: "\n"))
    if objects.isEmpty { return Data("[]\n".utf8) }
    return Data("[\n".utf8) + Data(objects.joined(separator: ",\n".utf8)) + Data("\n]\n".utf8)
  }

  private func write(_ records: [[RecordField]], _ writer: CSVWriter) throws {
    try writer.record(file.columns.map(\.name))
    for record in records {
      for (column, value) in zip(file.columns, record) {
        guard let text = value.text else {
          if file.columns.count == 1 {
            throw StoreError.failure(
              "\(file.entity.name) has one column only, and a CSV record needs a value in one of its columns")
          }
          writer.emptyField()
          continue
        }
        if text.utf8.contains(0) {
          throw StoreError.failure("\(file.entity.name).\(column.name): CSV has no way to write a NUL character")
        }
        if text.isEmpty { writer.emptyText() } else { writer.field(text) }
      }
      try writer.endRecord()
    }
    try writer.finish()
  }

  private func write(_ records: [[RecordField]], _ writer: NDJSONWriter) throws {
    for record in records {
      writer.beginObject()
      // The composites that are open: their elements stand beside each other.
      var open: [Substring] = []
      for (column, value) in zip(file.columns, record) {
        if case .value(.null) = value { continue }
        let path = column.name.split(separator: ".")
        while !path.dropLast().starts(with: open) {
          writer.endObject()
          open.removeLast()
        }
        for name in path.dropLast().dropFirst(open.count) {
          writer.key(String(name))
          writer.beginObject()
          open.append(name)
        }
        writer.key(String(path.last ?? ""))
        switch value {
        case .value(.integer(let number)): writer.number(number)
        case .value(.boolean(let flag)): writer.bool(flag)
        case .value(.double(let number)) where number.isFinite: try writer.number(number)
        case .list(let texts):
          writer.beginArray()
          for text in texts { writer.string(text) }
          writer.endArray()
        default: writer.string(value.text ?? "")
        }
      }
      for _ in 0...open.count { writer.endObject() }
      try writer.endRecord()
    }
    try writer.finish()
  }
}

/// The contents of one field.
enum RecordField {
  case value(Value)
  case list([String])

  /// The text of a CSV field; nil for an empty one. A list is a JSON array of texts.
  var text: String? {
    switch self {
    case .value(let value): RecordText.text(value)
    case .list(let texts): "[" + texts.map(JSONText.quoted).joined(separator: ",") + "]"
    }
  }
}
