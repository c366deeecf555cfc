import SeedFormats

extension DecodedBatch {
  /// Makes a reject of a problem of a record of this batch.
  func reject(record: Int, problem: RecordProblem, file: String, step: ImportStep) -> Reject {
    let place = records.place(ofRecord: record)
    let rawOffset = problem.rawOffset ?? 0
    let position = records.position(of: rawOffset, in: place)
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(place.byteOffset) + Int(rawOffset), entity: step.entity, property: problem.property,
      code: problem.code, value: problem.value, message: problem.message, hint: problem.hint,
      pointer: pointer(record: record, rawOffset: rawOffset, source: step.source))
  }

  /// The JSON Pointer of a place in a record: from the line's value in NDJSON, from the root in a document.
  func pointer(record: Int, rawOffset: UInt32, source: SourceSettings) -> String? {
    guard source.format == .json || source.format == .ndjson else { return nil }
    let place = records.place(ofRecord: record)
    let inner = unsafe JSONPointerLocator.pointer(to: Int(rawOffset), in: records.rawBytes(of: place))
    // The first byte of a document can only be the document itself, not an element of an array.
    guard source.format == .json, place.byteOffset > 0 else { return inner }
    let faults = records.faults.count { $0.beforeRecord <= record }
    return source.pointer + "/\(records.firstOrdinal + UInt64(record + faults))" + inner
  }

  /// Makes a reject of a record that the scanner could not read.
  func reject(fault: RecordFault, file: String, step: ImportStep) -> Reject {
    let position = records.position(of: fault.rawOffset, in: fault.place)
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(fault.place.byteOffset) + Int(fault.rawOffset), entity: step.entity, property: "",
      code: fault.code,
      value: "", message: fault.message, hint: fault.hint ?? "")
  }
}
