import Foundation
import ModelFiles
import ObjectModel

/// Why a mapping model is for none of the versions of a library, or may be for none.
struct MappingDoubts {
  /// Why the mapping model cannot be used, in sentences.
  private(set) var mistakes: [String] = []
  /// The places where its copies of the models are older than the versions, in sentences.
  private(set) var staleness: [String] = []

  /// - Parameter file: the file it comes from, where it comes from one.
  init(_ mapping: ModelLibrary.Mapping, _ file: MappingModelFile?, _ versions: [ModelLibrary.Version]) {
    let start = "the mapping model \(mapping.name)"
    if mapping.mappingModel.entityMappings.isEmpty {
      mistakes = ["\(start) cannot be used: it has no entity mappings"]
    }
    if let file, !file.warnings.isEmpty {
      mistakes += file.warnings.map { Self.sentence(start, $0.message, $0.hint) }
      return
    }
    if versions.isEmpty { return }
    let sides: [(KeyPath<EntityMapping, String?>, KeyPath<EntityMapping, Data?>, String, String?)] = [
      (\.sourceEntityName, \.sourceEntityVersionHash, "source", file?.source?.path),
      (\.destinationEntityName, \.destinationEntityVersionHash, "destination", file?.destination?.path),
    ]
    for (entityName, hash, side, path) in sides {
      for entity in mapping.mappingModel.entityMappings {
        guard let name = entity[keyPath: entityName] else { continue }
        let isKnown = versions.contains { $0.model[name] != nil }
        guard let hash = entity[keyPath: hash] else {
          if isKnown { continue }
          let names = Set(versions.flatMap { $0.model.entities.map(\.name) }).sorted()
          mistakes.append(
            Self.sentence(
              start, "the entity mapping \(entity.name) has the \(side) entity \(name), which no version has",
              Suggestion.hint(for: name, among: names) ?? Suggestion.list("there are", names)))
          continue
        }
        if versions.contains(where: { $0.model[name]?.versionHash == hash }) { continue }
        let place = path.map { " (\(($0 as NSString).lastPathComponent))" } ?? ""
        staleness.append(
          "\(start) is stale: its copy of the \(side) model\(place) has "
            + (isKnown ? "another \(name) than every version" : "an entity \(name), which no version has")
            + " (entity mapping \(entity.name)); update it in Xcode (Editor, Refresh Data Models)")
      }
    }
  }

  private static func sentence(_ start: String, _ message: String, _ hint: String?) -> String {
    "\(start) cannot be used: \(message)" + (hint.map { " (\($0))" } ?? "")
  }
}
