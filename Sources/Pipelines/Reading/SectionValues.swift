internal import Yams

/// A mapping of a pipeline file after its fields have been checked against their specifications.
struct SectionValues {
  let section: PipelineSection
  /// Where the mapping starts.
  let position: FilePosition
  /// Checked values of simple types.
  var values: [String: FieldValue] = [:]
  /// Paths as they stand in the file, with their variables.
  var written: [String: String] = [:]
  /// Nodes of fields that are read further.
  var nodes: [String: Node] = [:]
  /// Where each field's value is.
  var positions: [String: FilePosition] = [:]

  /// The value given, or the specification's default.
  private func value(_ name: String) -> FieldValue? {
    if let value = values[name] { return value }
    guard case .value(let value)? = section.fields.first(where: { $0.name == name })?.whenMissing else { return nil }
    return value
  }

  /// Where the field's value is, or the mapping when it is not given.
  func position(_ name: String) -> FilePosition { positions[name] ?? position }

  func text(_ name: String) -> String? {
    guard case .text(let text)? = value(name) else { return nil }
    return text
  }

  func choice<Choice: RawRepresentable<String>>(_ name: String) -> Choice? {
    text(name).flatMap(Choice.init(rawValue:))
  }

  func boolean(_ name: String) -> Bool? {
    guard case .boolean(let flag)? = value(name) else { return nil }
    return flag
  }

  func integer(_ name: String) -> Int? {
    guard case .integer(let integer)? = value(name) else { return nil }
    return integer
  }

  func number(_ name: String) -> Double? {
    guard case .number(let number)? = value(name) else { return nil }
    return number
  }

  func percentage(_ name: String) -> Double? {
    guard case .percentage(let number)? = value(name) else { return nil }
    return number
  }

  func character(_ name: String) -> UInt8? {
    guard case .character(let byte)? = value(name) else { return nil }
    return byte
  }

  func texts(_ name: String) -> [String]? {
    guard case .texts(let texts)? = value(name) else { return nil }
    return texts
  }
}
