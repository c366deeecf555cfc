import SeedFormats
import Seedbed

/// Reads NDJSON in the form of dumps, with the scanners of seeds: a line for each object of one entity, its properties
/// by their names and its record key in `_id`.
struct FixtureReader {
  private let entity: Entity
  private let file: String
  private let keyField: String
  private let json: JSONFields

  /// - Parameter file: for messages.
  init(_ entity: Entity, file: String) throws {
    self.entity = entity
    self.file = file
    var keyField = "_id"
    while entity.model.handles.contains(where: {
      $0.attribute(keyField) != nil || $0.relationship(keyField) != nil
    }) {
      keyField = "_" + keyField
    }
    self.keyField = keyField
    json = try JSONFields(projection: [])
  }

  /// All records.
  /// - Throws: `FixtureError` with the line and the property of the first mistake.
  func records(_ source: any BlockSource) throws -> [FixtureRecord] {
    do {
      var options = FormatOptions.ndjson
      options.requiresObjects = true
      let source = SeedFile.decoded(source, options: options, file: file)
      let reader = try RecordReader(source: source, options: options, projection: [""], file: file)
      let batch = RecordBatch(fieldCount: 1)
      var records: [FixtureRecord] = []
      while try reader.next(batch) {
        for record in 0..<batch.count { records.append(try self.record(record, of: batch)) }
        if let fault = batch.faults.first {
          throw FixtureError(fault.message, hint: fault.hint, file: file, line: Int(fault.place.line))
        }
      }
      return records
    } catch let error as SeedFormatError {
      throw FixtureError(
        error.message, hint: error.hint, file: file, line: error.line.map { Int($0) }, entity: entity.name)
    }
  }

  private func record(_ index: Int, of batch: RecordBatch) throws -> FixtureRecord {
    let line = Int(batch.place(ofRecord: index).line)
    var record = FixtureRecord(entity: entity, key: nil, file: file, line: line)
    let layout = entity.attributes
    var seen: Set<String> = []
    for (name, slice) in try members(of: batch.field(0, ofRecord: index), batch) {
      if !seen.insert(name).inserted { throw record.error("it is there twice", property: name) }
      if name == keyField {
        guard slice.kind == .string else { throw record.error("the record key is no text", property: name) }
        record.key = batch.text(of: slice)
      } else if let position = layout.firstIndex(where: { $0.name == name }) {
        record.values.append((position, try value(slice, layout[position], name, batch, record)))
      } else if let relationship = entity.relationship(name) {
        record.targets.append((relationship, try target(slice, relationship, batch, record)))
      } else {
        let known = layout.map(\.name) + entity.relationships.map(\.name)
        throw record.error(
          "the entity has no such property", property: name, hint: "it has \(known.joined(separator: ", "))")
      }
    }
    return record
  }

  private func members(of object: FieldSlice, _ batch: RecordBatch) throws -> [(name: String, value: FieldSlice)] {
    var slices: [FieldSlice] = []
    try json.members(of: object, in: batch, into: &slices)
    return stride(from: 0, to: slices.count, by: 2).map { (batch.text(of: slices[$0]), slices[$0 + 1]) }
  }

  private func value(
    _ slice: FieldSlice, _ attribute: AttributeDefinition, _ path: String, _ batch: RecordBatch,
    _ record: FixtureRecord
  ) throws -> Value {
    let misfit = record.error(
      "\(batch.text(of: slice).prefix(40)) is no value of the type \(attribute.type.name)", property: path,
      hint: "write \(FixtureValue.form(attribute.type))")
    var scalar: FixtureValue.Scalar?
    switch slice.kind {
    case .null, .absent: return .null
    case .object where attribute.composite != nil:
      return try composite(slice, attribute, path, batch, record)
    case .object where attribute.type == .transformable:
      // The member beside the bytes shows their content and is not read.
      let bytes = try members(of: slice, batch).first { $0.name == "base64" }?.value
      if let bytes, bytes.kind == .string { scalar = .string(batch.text(of: bytes)) }
    case .true: scalar = .boolean(true)
    case .false: scalar = .boolean(false)
    case .number: scalar = .number(batch.text(of: slice))
    case .string: scalar = .string(batch.text(of: slice))
    default: break
    }
    guard let value = scalar.flatMap({ FixtureValue.value($0, attribute.type) }) else { throw misfit }
    return value
  }

  private func composite(
    _ slice: FieldSlice, _ attribute: AttributeDefinition, _ path: String, _ batch: RecordBatch,
    _ record: FixtureRecord
  ) throws -> Value {
    var values: [String: Value] = [:]
    for (name, slice) in try members(of: slice, batch) {
      guard let element = attribute.composite?.elements.first(where: { $0.name == name }) else {
        throw record.error("the composite has no such element", property: "\(path).\(name)")
      }
      let value = try value(slice, element, "\(path).\(name)", batch, record)
      if value != .null { values[name] = value }
    }
    return values.isEmpty ? .null : .composite(values)
  }

  private func target(
    _ slice: FieldSlice, _ relationship: Relationship, _ batch: RecordBatch, _ record: FixtureRecord
  ) throws -> FixtureRecord.Target {
    func misfit(_ form: String) -> FixtureError {
      record.error("it is not written as a relationship", property: relationship.name, hint: "write \(form)")
    }
    guard relationship.isToMany else {
      if slice.kind == .null { return .one(nil) }
      guard slice.kind == .string else { throw misfit("a record key, or null") }
      return .one(batch.text(of: slice))
    }
    guard slice.kind == .array else { throw misfit("a list of record keys") }
    var elements: [FieldSlice] = []
    try json.elements(of: slice, in: batch, into: &elements)
    return .many(
      try elements.map { element in
        guard element.kind == .string else { throw misfit("a list of record keys") }
        return batch.text(of: element)
      })
  }
}
