import Pipelines
import Reports
import SeedFormats

extension DecodedBatch {
  /// Makes a reject of a problem of a record of this batch.
  func reject(record: Int, problem: RecordProblem, file: String, step: ImportStep) -> Reject {
    let place = records.place(ofRecord: record)
    let rawOffset = problem.rawOffset ?? 0
    let position = records.position(of: rawOffset, in: place)
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(place.byteOffset) + Int(rawOffset), entity: problem.entity ?? step.entity,
      property: problem.property,
      code: problem.code, value: problem.value, message: problem.message, hint: problem.hint,
      pointer: pointer(record: record, rawOffset: rawOffset, source: step.source))
  }

  /// The JSON Pointer of a place in a record: from the line's value in NDJSON, from the root in a document.
  func pointer(record: Int, rawOffset: UInt32, source: SourceSettings) -> String? {
    var locator = JSONPointerLocator()
    return pointer(record: record, rawOffset: rawOffset, source: source, &locator)
  }

  /// - Parameter locator: of the record.
  func pointer(
    record: Int, rawOffset: UInt32, source: SourceSettings, _ locator: inout JSONPointerLocator
  ) -> String? {
    guard source.format.isJSON else { return nil }
    let place = records.place(ofRecord: record)
    if source.keyedBy != nil {
      // What the record begins with is not in the document; its key leads there.
      let key = unsafe KeyedRecord.key(of: records.rawBytes(of: place))
      return key.map { source.pointer + "/" + JSONPointer.escaped($0) }
    }
    let inner = unsafe locator.pointer(to: Int(rawOffset), in: records.rawBytes(of: place))
    guard source.format.isDocument, !records.isWholeDocument else { return inner }
    let faults = records.faults.count { $0.beforeRecord <= record }
    return source.pointer + "/\(records.firstOrdinal + UInt64(record + faults))" + inner
  }

  /// Makes a reject of a record that the scanner could not read.
  /// - Parameter index: which of the batch's faults it is.
  func reject(fault: UnreadableRecord, index: Int, file: String, step: ImportStep) -> Reject {
    let position = records.position(of: fault.rawOffset, in: fault.place)
    let isNoObject = fault.code == UnreadableRecord.notAnObject
    var value = ""
    if isNoObject {
      // Safety: the bytes become a text before the records are filled again.
      let raw = unsafe records.rawBytes(of: fault.place).dropFirst(Int(fault.rawOffset))
      let text = unsafe String(decoding: raw.prefix(Reject.valueLimit * 4), as: UTF8.self)
      value = text.count > Reject.valueLimit ? String(text.prefix(Reject.valueLimit)) + "…" : text
    }
    var pointer: String?
    if step.source.keyedBy != nil {
      pointer = unsafe KeyedRecord.key(of: records.rawBytes(of: fault.place)).map {
        step.source.pointer + "/" + JSONPointer.escaped($0)
      }
    } else if step.source.format.isDocument {
      pointer =
        records.isWholeDocument
        ? "" : step.source.pointer + "/\(records.firstOrdinal + UInt64(fault.beforeRecord + index))"
    } else if isNoObject {
      pointer = ""
    }
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(fault.place.byteOffset) + Int(fault.rawOffset), entity: step.entity, property: "",
      code: fault.code, value: value, message: fault.message,
      hint: repeatsKey(fault, step.source)
        ? "the record has a field of that name itself: give keyed-by another one" : fault.hint ?? "", pointer: pointer)
  }
  /// Whether the key that a record has twice is the field that its own key became.
  private func repeatsKey(_ fault: UnreadableRecord, _ source: SourceSettings) -> Bool {
    guard let field = source.keyedBy, fault.code == "json.duplicate-key" else { return false }
    let raw = unsafe records.rawBytes(of: fault.place).dropFirst(Int(fault.rawOffset))
    return unsafe raw.starts(with: KeyedRecord.quoted(field).utf8)
  }
}
