import Foundation
import ObjectModel
import SeedFormats
import StoreInterface
import TestSupport

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// Decodes records by a pipeline's first step, as a decode worker does, without a store.
struct Decoding {
  let decoded: DecodedBatch
  private let step: ImportStep

  /// - Parameters:
  ///   - source: contents of the source.
  ///   - map: lines of `map:`.
  ///   - settings: further lines of the step.
  init(
    _ source: String, as format: String, model: ManagedObjectModel, entity: String = "Thing", map: [String],
    from: String = "", settings: [String] = []
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(source, to: "data." + format)
    let yaml = """
      model: M.xcdatamodeld
      store: { path: S.sqlite }
      import:
        - from: { path: data.\(format)\(from) }
          entity: \(entity)
      \(settings.map { "    \($0)\n" }.joined())    map:
      \(map.map { "      \($0)" }.joined(separator: "\n"))
      """
    let pipeline = try PipelineReader.read(text: yaml, path: folder.path("p.yaml"), environment: [:])
    step = pipeline.imports[0]
    let file = SourceFile(path: folder.path("data." + format), name: "data." + format)
    let plan = try StepPlanner.plan(
      step, model: model, pipelinePath: "p.yaml", files: [file], resources: RecordExpressionResources())
    let options = step.source.formatOptions
    let reader = try RecordReader(
      source: try SeedFile.open(path: file.path, options: options), options: options, projection: plan.projection)
    let batch = RecordBatch(fieldCount: plan.projection.count)
    _ = try reader.next(batch)
    decoded = RecordDecoder(plan: plan).decode(batch, file: 0, superseded: SupersededRecords())
  }

  /// What became of a property of a record: its value, `null`, `absent`, or its problems with their columns.
  func outcome(_ property: String, record: Int = 0) -> String {
    if let problems = decoded.problems[record], !problems.isEmpty {
      return problems.map { "\($0.code)@\(reject(record, $0).column)" }.joined(separator: " ")
    }
    guard let row = decoded.root.records.firstIndex(of: Int32(record)) else { return "no row" }
    return cell(decoded.root, property, row: row)
  }

  func cell(_ node: DecodedNode, _ property: String, row: Int) -> String {
    guard let column = node.plan.column(.attribute(property)) else { return "no column" }
    switch unsafe RowBatch.State(rawValue: node.batch.states[column][row]) {
    case .absent: return "absent"
    case .null: return "null"
    case .value: return node.value(column: column, row: row).written
    case nil: return "no state"
    }
  }

  func reject(_ record: Int, _ problem: RecordProblem) -> Reject {
    decoded.reject(record: record, problem: problem, file: "data", step: step)
  }

  /// The keys of a row's reference, as messages show them.
  func keys(_ index: Int, row: Int) -> [String] {
    let node = decoded.root
    let keys = node.keys[index]
    return keys.entries.filter { Int($0.row) == row }.map { entry in
      entry.state == .value ? node.plan.references[index].shownKey(keys, entry) : "\(entry.state)"
    }
  }
}

extension Value {
  /// The value with its type, so that 1, 1.0, true and "1" differ.
  var written: String {
    switch self {
    case .null: "null"
    case .integer(let value): "int \(value)"
    case .boolean(let value): "bool \(value)"
    case .double(let value): "real \(value)"
    case .decimal(let value): "decimal \(value)"
    case .string(let value): "text \(value)"
    case .date(let value): "date \(value.timeIntervalSinceReferenceDate)"
    case .data(let value): "data \(Array(value))"
    case .uuid(let value): "uuid \(value.uuidString)"
    case .uri(let value): "uri \(value.absoluteString)"
    case .composite(let value): "composite \(value)"
    }
  }
}
