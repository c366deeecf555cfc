/// The text of a pipeline file with variables filled in, for the parts that the store's contents depend on, without
/// paths. Two runs with different environments have different texts, two runs in different folders do not.
package enum PipelineCanon {
  package static func text(of pipeline: PipelineFile) -> String {
    // Settings that are left out leave no trace, so that a digest does not change with every field that is added.
    let settings = [
      pipeline.store.framework.map { "framework \($0)" }, pipeline.store.now.map { "now \($0)" },
      pipeline.store.migratesOrigin ? "migrate" : nil, pipeline.store.mappings.isEmpty ? nil : "mapping",
      pipeline.store.tracksHistory ? "history" : nil,
    ].compactMap { $0 }
    let lookups = pipeline.lookups.map { lookup in
      let source = lookup.source
      return [
        "lookup", lookup.name, lookup.key.source, lookup.value.source, source.format.rawValue, source.encoding.rawValue,
        "\(source.delimiter)", source.pointer, source.nulls.description, (source.columns ?? []).description,
        source.dateFormat ?? "", source.timeZone,
      ].joined(separator: "|") + stated(source).map { "|" + $0 }.joined()
    }
    return (settings + lookups + pipeline.imports.map { text(of: $0) }).joined(separator: "\n")
  }

  /// Settings that came later, as above: only what is stated.
  private static func stated(_ source: SourceSettings) -> [String] {
    [
      source.delimiterRest.isEmpty ? nil : "delimiter \(source.delimiterRest)",
      source.skippedLines == 0 ? nil : "skip \(source.skippedLines)", source.isLenient ? "lenient" : nil,
      source.keyedBy.map { "keyed by \($0)" },
    ].compactMap { $0 }
  }

  private static func text(of step: ImportStep) -> String {
    let source = step.source
    let more = stated(source)
    let optional = source.optionalColumns.isEmpty ? [] : ["optional \(source.optionalColumns)"]
    return
      (optional + [
        step.entity, step.match.description, step.strategy.rawValue, step.onMatch.rawValue, step.duplicates.rawValue,
        source.format.rawValue, source.encoding.rawValue, "\(source.delimiter)", "\(source.quote ?? 0)",
        "\(source.escape ?? 0)", "\(source.comment ?? 0)", "\(source.hasHeader)", (source.columns ?? []).description,
        source.pointer, source.nulls.description, source.dateFormat ?? "", source.timeZone,
        step.condition?.source ?? "", step.key?.source ?? "", text(of: step.map),
      ] + more).joined(separator: "|")
  }

  private static func text(of map: [MapEntry]) -> String {
    map.map { entry in
      let value =
        switch entry.mapping {
        case .attribute(let mapping):
          [
            mapping.expression.source, (mapping.nulls ?? []).description, mapping.dateFormat ?? "",
            mapping.timeZone ?? "", mapping.defaultValue?.source ?? "",
          ].joined(separator: "|")
        case .reference(let mapping):
          [
            mapping.match.description, mapping.from.map(\.source).description, mapping.separator ?? "",
            mapping.onMissing.rawValue, "\(mapping.isByRecordKey)",
          ].joined(separator: "|") + text(of: mapping.members)
        case .nested(let mapping):
          [
            mapping.elements?.source ?? mapping.from, mapping.entity ?? "", mapping.match.description,
            "{" + text(of: mapping.map) + "}",
          ]
          .joined(separator: "|") + text(of: mapping.members)
        }
      return entry.property + ": " + value
    }.joined(separator: "; ")
  }

  /// Nothing for the default, by which pipelines keep the UUIDs that they had before there was a choice.
  private static func text(of members: MembersGiven) -> String { members == .all ? "" : "|" + members.rawValue }
}
