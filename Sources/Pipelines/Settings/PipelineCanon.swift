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
        switch entry.value {
        case .attribute(let mapped):
          [
            mapped.expression.source, (mapped.nulls ?? []).description, mapped.dateFormat ?? "",
            mapped.timeZone ?? "", mapped.defaultValue?.source ?? "",
          ].joined(separator: "|")
        case .reference(let mapped):
          [
            mapped.match.description, mapped.from.map(\.source).description, mapped.separator ?? "",
            mapped.onMissing.rawValue, "\(mapped.isByRecordKey)",
          ].joined(separator: "|") + text(of: mapped.members)
        case .nested(let mapped):
          [
            mapped.elements?.source ?? mapped.from, mapped.entity ?? "", mapped.match.description,
            "{" + text(of: mapped.map) + "}",
          ]
          .joined(separator: "|") + text(of: mapped.members)
        }
      return entry.property + ": " + value
    }.joined(separator: "; ")
  }

  /// Nothing for the default, by which pipelines keep the UUIDs that they had before there was a choice.
  private static func text(of members: MembersGiven) -> String { members == .all ? "" : "|" + members.rawValue }
}
