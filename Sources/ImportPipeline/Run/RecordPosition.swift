import SeedFormats

extension DecodedBatch {
  /// Makes a reject of a problem of a record of this batch.
  func reject(record: Int, problem: RecordProblem, file: String, entity: String) -> Reject {
    let place = records.place(ofRecord: record)
    let rawOffset = problem.rawOffset ?? 0
    let position = records.position(of: rawOffset, in: place)
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(place.byteOffset) + Int(rawOffset), entity: entity, property: problem.property,
      code: problem.code, value: problem.value, message: problem.message, hint: problem.hint)
  }

  /// Makes a reject of a record that the scanner could not read.
  func reject(fault: RecordFault, file: String, entity: String) -> Reject {
    let position = records.position(of: fault.rawOffset, in: fault.place)
    return Reject(
      file: file, line: Int(position.line), column: Int(position.column),
      byteOffset: Int(fault.place.byteOffset) + Int(fault.rawOffset), entity: entity, property: "", code: fault.code,
      value: "", message: fault.message, hint: fault.hint ?? "")
  }
}
