/// The JSON Schema of pipeline files, made from the specifications that the reader uses.
public enum PipelineSchema {
  /// The text of `docs/pipeline.schema.json` (draft 2020-12).
  public static func json() -> String {
    var definitions = PipelineSection.allCases.filter { $0 != .pipeline }.map { ($0.rawValue, schema(of: $0)) }
    definitions.append(("variable", variable))
    definitions.append(("expression", expression))
    // A section has the name `constant`.
    definitions.append(("constantValue", constant))
    definitions.append(
      (
        "properties",
        .object([
          ("type", .string("object")), ("minProperties", .number("1")),
          (
            "additionalProperties",
            .object([
              ("anyOf", .array([reference("expression")] + PipelineSection.mapForms.map { reference($0.rawValue) }))
            ])
          ),
        ])
      ))
    let head: [(String, JSONValue)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string("Seedbed pipeline")),
    ]
    return JSONValue.object(head + members(of: .pipeline) + [("$defs", .object(definitions))]).text(isIndented: true)
      + "\n"
  }

  private static func reference(_ name: String) -> JSONValue {
    .object([("$ref", .string("#/$defs/\(name)"))])
  }

  /// A value that the environment gives: any scalar may be one.
  private static let variable = JSONValue.object([("type", .string("string")), ("pattern", .string("\\$\\{"))])
  private static let percentage = JSONValue.object([
    ("type", .string("string")), ("pattern", .string("^0*(100(\\.0+)?|[0-9]{1,2}(\\.[0-9]+)?)%$")),
  ])
  private static let constant = JSONValue.object([
    ("type", .array(["string", "number", "boolean", "null"].map(JSONValue.string)))
  ])
  private static let expression = JSONValue.object([
    ("description", .string("An expression over the record, or a constant number, boolean or null.")),
    ("type", .array(["string", "number", "boolean", "null"].map(JSONValue.string))),
  ])

  private static func schema(of section: PipelineSection) -> JSONValue {
    .object(members(of: section))
  }

  private static func members(of section: PipelineSection) -> [(String, JSONValue)] {
    let required = section.fields.filter { $0.whenMissing == .required }.map { JSONValue.string($0.name) }
    return [
      ("type", .string("object")), ("description", .string(section.introduction)),
      ("additionalProperties", .boolean(false)),
    ] + (section == .stepExpectation ? [("minProperties", .number("1"))] : [])
      + (required.isEmpty ? [] : [("required", .array(required))]) + [
        ("properties", .object(section.fields.map { ($0.name, schema(of: $0)) }))
      ]
  }

  private static func schema(of field: FieldSpec) -> JSONValue {
    var members: [(String, JSONValue)] = [("description", .string(field.documentation))]
    if case .value(let value) = field.whenMissing { members.append(("default", json(value))) }
    var alternatives = alternatives(for: field.type)
    if field.whenMissing.allowsNull, isScalar(field.type) { alternatives.append(.object([("type", .string("null"))])) }
    members.append(("anyOf", .array(alternatives)))
    return .object(members)
  }

  private static func isScalar(_ type: FieldType) -> Bool {
    switch type {
    case .text, .path, .boolean, .integer, .number, .percentage, .countOrPercentage, .character, .characters, .choice:
      true
    default: false
    }
  }

  private static func alternatives(for type: FieldType) -> [JSONValue] {
    func typed(_ name: String, _ more: [(String, JSONValue)] = []) -> JSONValue {
      .object([("type", .string(name))] + more)
    }
    let text = JSONValue.object([("type", .array(["string", "number", "boolean"].map(JSONValue.string)))])
    let path = typed("string", [("minLength", .number("1"))])
    /// ASCII without NUL and the ends of lines.
    func characters(_ count: String) -> JSONValue {
      typed("string", [("pattern", .string("^[\\x01-\\x09\\x0b\\x0c\\x0e-\\x7f]\(count)$"))])
    }
    switch type {
    case .text: return [text]
    case .path: return [path]
    case .boolean: return [typed("boolean"), reference("variable")]
    case .integer(let minimum):
      return [typed("integer", [("minimum", .number(String(minimum)))]), reference("variable")]
    case .number(let range):
      let bounds: [(String, JSONValue)] = [
        ("minimum", .number(FieldType.short(range.lowerBound))),
        ("maximum", .number(FieldType.short(range.upperBound))),
      ]
      return [typed("number", bounds), reference("variable")]
    case .percentage: return [percentage, reference("variable")]
    case .countOrPercentage:
      return [typed("integer", [("minimum", .number("0"))]), percentage, reference("variable")]
    case .characters: return [characters("{1,8}"), reference("variable")]
    case .character(let allowsNull):
      return [characters(""), reference("variable")] + (allowsNull ? [typed("null")] : [])
    case .choice(let words):
      // YAML reads null without quotes as no text.
      let values = words.map(JSONValue.string) + (words.contains("null") ? [.null] : [])
      return [.object([("enum", .array(values))]), reference("variable")]
    case .texts: return [text, typed("array", [("items", text)])]
    case .names: return [text, typed("array", [("items", .object([("anyOf", .array([text, typed("null")]))]))])]
    case .expression: return [reference("expression")]
    case .expressions: return [reference("expression"), typed("array", [("items", reference("expression"))])]
    case .constant: return [reference("constantValue")]
    case .section(let section): return [reference(section.rawValue)]
    case .pathOrSection(let section): return [path, reference(section.rawValue)]
    case .sections(let section): return [typed("array", [("items", reference(section.rawValue))])]
    case .namedSections(let section):
      return [typed("object", [("additionalProperties", reference(section.rawValue))])]
    case .textsOrSections(let section):
      return [typed("array", [("items", .object([("anyOf", .array([text, reference(section.rawValue)]))]))])]
    case .properties: return [reference("properties")]
    }
  }

  private static func json(_ value: FieldValue) -> JSONValue {
    switch value {
    case .null: .null
    case .text(let text): .string(text)
    case .boolean(let flag): .boolean(flag)
    case .integer(let integer): .number(String(integer))
    case .number(let number): .number(FieldType.short(number))
    case .percentage(let number): .string(FieldType.short(number) + "%")
    case .character(let byte): .string(String(Character(Unicode.Scalar(byte))))
    case .texts(let texts): .array(texts.map(JSONValue.string))
    }
  }
}
