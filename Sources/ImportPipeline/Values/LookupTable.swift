import Foundation
import SeedFormats

/// `lookups:` of a pipeline file: a source of which one value finds another.
public struct LookupSettings: Sendable {
  /// What expressions call it.
  public var name: String
  /// Where the records come from.
  public var source: SourceSettings
  /// Yields what is looked for.
  public var key: RecordExpression
  /// Yields what is found.
  public var value: RecordExpression
  /// Where it starts in the pipeline file.
  public var position: FilePosition
}

/// The records of a lookup in memory, by their keys.
struct LookupTable: Sendable {
  /// The most that the keys and values of one table take.
  static let maximumBytes = 256 << 20

  /// By bytes: texts that differ only in Unicode normalization are two keys.
  private var values: [[UInt8]: RecordExpressionValue] = [:]
  private var bytes = 0

  /// What is found, null when nothing is.
  func value(for key: String) -> RecordExpressionValue { values[Array(key.utf8)] ?? .null }

  /// A table with nothing in it.
  init() {}

  /// A table of some pairs.
  init(_ pairs: [String: String]) {
    for (key, value) in pairs { values[Array(key.utf8)] = .string(value) }
  }

  /// Reads a table.
  /// - Throws: `RunError` for a record that cannot be read, and for a key that is empty or comes twice.
  init(_ settings: LookupSettings) throws(RunError) {
    let files = settings.source.paths.map { SourceFile(path: $0, name: FilePath.shown($0)) }
    let columns = try StepPlanner.columns(of: settings.source, files: files)
    let key = settings.key.preferringColumns(columns)
    let value = settings.value.preferringColumns(columns)
    var slots = SlotList()
    var table: [String: Int] = [:]
    for path in key.fieldPaths + value.fieldPaths { table[path] = slots.slot(of: path) }
    let dates =
      (try? DateParser(format: settings.source.dateFormat, timeZone: settings.source.timeZone)) ?? .iso8601
    do {
      let evaluators = (
        key: try RecordExpressionEvaluator(key, slots: table, dates: dates),
        value: try RecordExpressionEvaluator(value, slots: table, dates: dates)
      )
      for file in files { try read(file, settings, slots.paths, evaluators) }
    } catch let error as RecordExpressionError {
      throw Self.failure(settings, error.message, hint: error.hint)
    } catch {
      throw RunError(any: error, store: "")
    }
  }

  private mutating func read(
    _ file: SourceFile, _ settings: LookupSettings, _ projection: [String],
    _ evaluators: (key: RecordExpressionEvaluator, value: RecordExpressionEvaluator)
  ) throws {
    var options = settings.source.formatOptions
    options.optionalFields = Set(settings.source.optionalColumns)
    let nulls = settings.source.nulls.map { Array($0.utf8) }
    let isText = settings.source.format == .csv || settings.source.format == .tsv
    let reader = try RecordReader(
      source: try SeedFile.open(path: file.path, options: options), options: options, projection: projection,
      file: file.name)
    let batch = RecordBatch(fieldCount: projection.count)
    while try reader.next(batch) {
      if let fault = batch.faults.first {
        throw Self.failure(settings, fault.message, hint: fault.hint, at: "\(file.name):\(fault.place.line)")
      }
      let fields = unsafe FieldTable(
        records: batch, slices: batch.fields, fieldCount: projection.count, respectsQuotes: isText)
      for record in 0..<batch.count {
        let place = "\(file.name):\(batch.place(ofRecord: record).line)"
        let one = unsafe RecordFields(table: fields, entry: record, nulls: nulls)
        do {
          try unsafe add(key: evaluators.key.evaluate(one), evaluators.value.evaluate(one))
        } catch {
          throw Self.failure(settings, error.message, hint: error.hint, at: place)
        }
      }
    }
  }

  private mutating func add(key: RecordExpressionValue, _ value: RecordExpressionValue) throws(RecordExpressionFailure)
  {
    guard !key.isMissing else {
      throw RecordExpressionFailure(
        code: "lookup.empty-key", message: "the key is empty", hint: "fill it in, or remove the line")
    }
    let text = try key.asText()
    guard values.updateValue(value, forKey: Array(text.utf8)) == nil else {
      throw RecordExpressionFailure(
        code: "lookup.duplicate-key", message: "the key \(RecordExpressionFailure.quoted(text)) comes twice",
        hint: "a key finds one value: remove one of the two")
    }
    bytes += 96 + text.utf8.count
    if case .string(let text) = value { bytes += text.utf8.count }
    if bytes > Self.maximumBytes {
      throw RecordExpressionFailure(
        code: "lookup.too-large", message: "the table takes more than 256 MiB of memory",
        hint: "import it as an entity and refer to its objects")
    }
  }

  private static func failure(
    _ settings: LookupSettings, _ message: String, hint: String?, at place: String? = nil
  ) -> RunError {
    RunError(
      .badData, code: "lookup.record", (place.map { $0 + ": " } ?? "") + message + " (lookup \(settings.name))",
      hint: hint)
  }
}

extension RecordExpressionResources {
  /// Reads what a pipeline's expressions need.
  /// - Returns: also why tables could not be read; they are there, but empty.
  static func load(_ file: PipelineFile) -> (resources: Self, failures: [(lookup: LookupSettings, error: RunError)]) {
    var resources = RecordExpressionResources(files: FileValues(file))
    var failures: [(lookup: LookupSettings, error: RunError)] = []
    for lookup in file.lookups {
      resources.lookups[lookup.name] = LookupTable()
      do throws(RunError) {
        resources.lookups[lookup.name] = try LookupTable(lookup)
      } catch {
        failures.append((lookup, error))
      }
    }
    return (resources, failures)
  }
}

extension RecordExpression.Node {
  /// The node and all below it.
  var withOperands: [Self] {
    switch self {
    case .field, .constant: [self]
    case .call(_, let arguments): [self] + arguments.flatMap(\.withOperands)
    case .unary(_, let operand): [self] + operand.withOperands
    case .binary(_, let left, let right): [self] + left.withOperands + right.withOperands
    case .conditional(let test, let yes, let no):
      [self] + test.withOperands + yes.withOperands + no.withOperands
    }
  }

  /// The name of the lookup that the node itself looks into.
  var lookupName: String? {
    guard case .call(.lookup, let arguments) = self, case .constant(.string(let name))? = arguments.first else {
      return nil
    }
    return name
  }
}

extension ImportStep {
  /// All expressions of the step.
  var expressions: [RecordExpression] { [condition, key].compactMap { $0 } + Self.expressions(of: map) }

  private static func expressions(of map: [MapEntry]) -> [RecordExpression] {
    map.flatMap { entry in
      switch entry.mapping {
      case .attribute(let mapping): [mapping.expression]
      case .reference(let mapping): mapping.from
      case .nested(let mapping): expressions(of: mapping.map)
      }
    }
  }

  /// How many files a record names.
  var filesPerRecord: Int {
    expressions.flatMap(\.root.withOperands).count { node in
      if case .call(.file, _) = node { return true }
      return false
    }
  }
}
