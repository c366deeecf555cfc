/// The kinds of values of a field of a pipeline file.
package enum FieldType: Sendable, Equatable {
  /// Text, with variables from the environment.
  case text
  /// A path, relative to the pipeline file, with variables from the environment.
  case path
  case boolean
  case integer(minimum: Int)
  case number(ClosedRange<Double>)
  /// A number from 0 to 100 with a percent sign.
  case percentage
  /// An integer from 0 on, or a percentage.
  case countOrPercentage
  /// One ASCII character, or null for none.
  case character(allowsNull: Bool)
  /// One to eight ASCII characters.
  case characters
  /// One of some words.
  case choice([String])
  /// A list of texts; a single text stands for a list of one.
  case texts
  /// The same, with `null` for what has no name.
  case names
  /// An expression over the record.
  case expression
  /// A list of expressions; a single one stands for a list of one.
  case expressions
  /// A constant as YAML has it: text, number, boolean or null.
  case constant
  case section(PipelineSection)
  case pathOrSection(PipelineSection)
  case sections(PipelineSection)
  /// Mappings by names of the user's choice.
  case namedSections(PipelineSection)
  /// A list of texts or mappings.
  case textsOrSections(PipelineSection)
  /// Properties of the entity, each with its expression or mapping.
  case properties

  /// The type as the documentation names it.
  var name: String {
    switch self {
    case .text: "text"
    case .path: "path"
    case .boolean: "`true` or `false`"
    case .integer(let minimum): "integer from \(minimum) on"
    case .number(let range): "number from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
    case .percentage: "percentage such as `20%`"
    case .countOrPercentage: "integer from 0 on, or percentage such as `0.5%`"
    case .character(let allowsNull): allowsNull ? "one ASCII character, or `null`" : "one ASCII character"
    case .characters: "one to eight ASCII characters"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: " · ")
    case .texts: "text or list of texts"
    case .names: "text or list of texts and `null`"
    case .expression: "expression"
    case .expressions: "expression or list of expressions"
    case .constant: "constant"
    case .section(let section): "mapping, see [\(section.title)](#\(section.anchor))"
    case .pathOrSection(let section): "path, or mapping, see [\(section.title)](#\(section.anchor))"
    case .sections(let section): "list of mappings, see [\(section.title)](#\(section.anchor))"
    case .namedSections(let section): "mapping of names, see [\(section.title)](#\(section.anchor))"
    case .textsOrSections(let section): "list of texts or mappings, see [\(section.title)](#\(section.anchor))"
    case .properties: "mapping of property names, see [Values of map](#values-of-map)"
    }
  }

  /// The number without a fraction when it has none.
  package static func short(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}

/// The default of a field.
enum FieldDefault: Sendable, Equatable {
  case required
  /// The field has no default and may be left out.
  case none
  case value(FieldValue)
  /// Something that depends on other fields, in words.
  case derived(String)

  /// Whether `null` says the same as leaving the field out.
  var allowsNull: Bool {
    switch self {
    case .none, .derived: true
    case .required, .value: false
    }
  }
}

/// A field's value after reading.
enum FieldValue: Sendable, Equatable {
  case null
  case text(String)
  case boolean(Bool)
  case integer(Int)
  case number(Double)
  case percentage(Double)
  case character(UInt8)
  case texts([String])

  /// The value as YAML, for the documentation.
  var yaml: String {
    switch self {
    case .null: "null"
    case .text(let text): text.isEmpty ? "\"\"" : text
    case .boolean(let flag): String(flag)
    case .integer(let integer): String(integer)
    case .number(let number): FieldType.short(number)
    case .percentage(let number): FieldType.short(number) + "%"
    case .character(let byte): "\"\(byte == UInt8(ascii: "\"") ? "\\" : "")\(Character(Unicode.Scalar(byte)))\""
    case .texts(let texts): "[\(texts.map { "\"\($0)\"" }.joined(separator: ", "))]"
    }
  }
}

/// The one specification of a field of pipeline files: the parser, the documentation, the JSON Schema and the linter
/// are derived from it.
struct FieldSpec: Sendable {
  var name: String
  var type: FieldType
  var whenMissing: FieldDefault
  var documentation: String
  /// A value as it would stand behind the colon.
  var example: String

  init(_ name: String, _ type: FieldType, _ whenMissing: FieldDefault, _ documentation: String, example: String) {
    self.name = name
    self.type = type
    self.whenMissing = whenMissing
    self.documentation = documentation
    self.example = example
  }
}
