public import ObjectModel

/// An entity-relationship diagram of a model, as a picture (SVG) or as Mermaid text. The same model gives the same
/// text.
///
/// A box per entity lists the properties that it declares itself; lines join the two ends of each relationship, and
/// arrows lead from sub-entities to their parents.
public struct EntityDiagram: Sendable {
  /// More entities than this make no picture that can be read.
  public static let maximumEntityCount = 1_000
  /// More lines than this make none either; the way of each is sought among all others.
  public static let maximumLineCount = 5_000

  let content: DiagramContent
  let title: String

  /// - Parameters:
  ///   - title: what the picture shows, such as the name of the model.
  ///   - rowCounts: entity name → number of objects, shown beside the name.
  public init(model: ManagedObjectModel, title: String, rowCounts: [String: Int] = [:]) {
    content = DiagramContent(model, rowCounts: rowCounts)
    self.title = title
  }

  /// The number of boxes, one per entity.
  public var entityCount: Int { content.boxes.count }
  /// Number of lines: a relationship and its inverse are one; arrows of inheritance count too.
  public var lineCount: Int { content.lines.count }

  /// The picture as SVG, made without any other program.
  /// - Throws: `ModelError` when the model has more than `maximumEntityCount` entities or `maximumLineCount` lines.
  public func svg() throws(ModelError) -> String {
    guard entityCount <= Self.maximumEntityCount, lineCount <= Self.maximumLineCount else {
      throw ModelError([
        ModelError.Problem(
          .unsupportedFormat,
          message: "the model has \(entityCount) entities and \(lineCount) lines between them; a picture has room for "
            + "\(Self.maximumEntityCount) and \(Self.maximumLineCount)",
          hint: "make a Mermaid diagram")
      ])
    }
    return DiagramDrawing(DiagramLayout(content), content, title: title).svg()
  }

  /// Whether the beginning of a file, 4 KB or so, is that of a diagram that was written here.
  public static func isBeginning(_ text: String) -> Bool {
    if text.hasPrefix("---\ntitle: \"") { return text.contains("\"\n---\nerDiagram\n") }
    return text.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ") && text.contains(DiagramDrawing.mark)
  }

  /// The diagram as Mermaid's `erDiagram`.
  public func mermaid() -> String { MermaidText(content, title: title).text() }
}
