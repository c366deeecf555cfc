package import ObjectModel
package import Pipelines
import Platform
package import ResultFiles
import SeedFormats

/// One column of an export: its title, its key path, and the attribute at its end.
package struct ExportColumn {
  var name: String
  var keyPath: [String]
  var attribute: AttributeDefinition
}

extension ExportStep {
  /// The step with the path of standard output resolved, and with the file that a symbolic link leads to.
  package var followed: ExportStep {
    var step = self
    if FileSink.openDescriptor(to) == 1 { step.to = "-" } else if !isDirect { step.to = ResultPath.followed(to) }
    return step
  }

  /// How the result begins.
  package func mark(_ model: ManagedObjectModel) throws -> TextMark {
    let names = try columns(of: try entity(in: model)).map(\.name)
    switch format {
    case .ndjson: return .keys(Set(names))
    case .csv, .tsv:
      let sink = MemorySink()
      var options = CSVWriter.Options()
      options.delimiter = fieldDelimiter
      let writer = CSVWriter(sink: sink, options: options)
      try writer.record(names)
      try writer.finish()
      return .line(Array(sink.bytes.dropLast()))
    }
  }

  /// The entity in a model.
  func entity(in model: ManagedObjectModel) throws(RunError) -> Entity {
    try model.entity(named: entity, code: "export.unknown-entity")
  }

  /// The columns, those that are not stated included.
  func columns(of entity: Entity) throws(RunError) -> [ExportColumn] {
    if columns.isEmpty {
      return entity.storedLeaves.map { leaf in
        ExportColumn(name: leaf.path, keyPath: leaf.names, attribute: leaf.attribute)
      }
    }
    return try columns.map { column throws(RunError) in
      ExportColumn(
        name: column.name, keyPath: column.keyPath, attribute: try Self.attribute(at: column.keyPath, of: entity))
    }
  }

  static func attribute(at keyPath: [String], of entity: Entity) throws(RunError) -> AttributeDefinition {
    var current = entity
    for (position, name) in keyPath.enumerated() {
      if let relationship = current.relationship(name), position + 1 < keyPath.count {
        guard !relationship.isToMany else {
          throw RunError(
            .badPipeline, code: "export.to-many",
            "export of \(entity.name): \(name) in \(keyPath.joined(separator: ".")) is to-many",
            hint: "export the destination entity instead, with a column back to \(entity.name)")
        }
        current = relationship.destination
      } else {
        // The rest may be the dotted path of a composite attribute's element.
        let path = keyPath[position...].joined(separator: ".")
        let attribute = current.storedAttribute(path)
        if let attribute, attribute.composite == nil { return attribute }
        let paths = current.storedLeaves.map(\.path)
        if let relationship = current.relationship(path) {
          throw RunError(
            .badPipeline, code: "export.relationship",
            "export of \(entity.name): \(path) is a relationship, not an attribute",
            hint: ExportAdvice.hint(for: relationship, at: keyPath))
        }
        guard attribute != nil || paths.contains(where: { $0.hasPrefix(path + ".") }) else {
          throw RunError(
            .badPipeline, code: "export.unknown-attribute",
            "export of \(entity.name): \(current.name) has no stored attribute \(path)",
            hint: ExportAdvice.hint(for: path, among: paths) ?? "it has \(paths.joined(separator: ", "))")
        }
        throw RunError(
          .badPipeline, code: "export.composite",
          "export of \(entity.name): \(path) is a composite attribute, not a single value",
          hint: "name its elements: \(paths.filter { $0.hasPrefix(path + ".") }.joined(separator: ", "))")
      }
    }
    throw RunError(.badPipeline, code: "export.empty-column", "export of \(entity.name): a column is empty")
  }
}
