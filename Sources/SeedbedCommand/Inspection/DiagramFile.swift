import CoreDataLayout
import Diagrams
import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import ResultFiles

/// The forms in which a diagram can be written.
enum DiagramFormat {
  case svg, mermaid

  /// The format by the path's ending; standard output gets text.
  init?(path: String) {
    if path.hasSuffix(".svg") {
      self = .svg
    } else if path == "-" || path.hasSuffix(".mmd") || path.hasSuffix(".mermaid") {
      self = .mermaid
    } else {
      return nil
    }
  }
}

/// Writes the diagram of a store's or a model's entities.
struct DiagramFile {
  let subject: InspectionSubject
  /// Whether a file that is no diagram may be replaced.
  let replacesForeign: Bool

  func write(to path: String, _ format: DiagramFormat) throws {
    guard let model = subject.model else {
      throw RunError(
        .badPipeline, code: "model", "\(subject.path) carries no model that a diagram could be made of",
        hint: "give the app's model with --model")
    }
    let counts = (subject.store?.entities ?? []).compactMap { entity in entity.count.map { (entity.name, $0) } }
    let diagram = EntityDiagram(
      model: model, title: (subject.path as NSString).lastPathComponent,
      rowCounts: Dictionary(counts, uniquingKeysWith: { first, _ in first }))
    let text = try format == .svg ? diagram.svg() : diagram.mermaid()
    guard path != "-" else { return Terminal.print(String(text.dropLast())) }
    try OutputCheck.check(
      option: "--er", path: path, reads: subject.paths, replacesForeign: replacesForeign,
      isEarlier: EntityDiagram.isBeginning)
    try TextResults.write([(path: path, text: text)])
    LogLine.say(
      "wrote \(path): \(diagram.entityCount.counted("entity", "entities")), "
        + diagram.lineCount.counted("line"), event: "diagram.written")
  }
}
