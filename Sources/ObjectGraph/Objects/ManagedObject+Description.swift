import Foundation
import ObjectModel
import StoreInterface

extension ManagedObject {
  /// See `description`.
  var printedText: String {
    checkConfinement()
    return "<\(type(of: self)): \(objectID)> (entity: \(entity.name); data: \(printedData))"
  }

  private var printedData: String {
    switch status {
    case .fault: return "<fault>"
    case .gone, .detached: return "<deleted>"
    case .loaded, .inserted, .deleted: break
    }
    var parts: [(name: String, text: String)] = []
    for (index, attribute) in runtime.layout.attributes.enumerated() {
      parts.append((attribute.name, Self.printed(loadedValue(index))))
    }
    for (index, relationship) in runtime.layout.relationships.enumerated() {
      parts.append((relationship.name, printedRelationship(index, relationship)))
    }
    let sorted = parts.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return "{" + sorted.map { "\($0.name) = \($0.text)" }.joined(separator: "; ") + "}"
  }

  private func printedRelationship(_ index: Int, _ relationship: Relationship) -> String {
    if !relationship.isToMany { return loadedDestination(index)?.description ?? "nil" }
    guard isLoaded(index), var list = memberLists[index] else { return "<relationship fault>" }
    return "(" + list.members().map(\.description).joined(separator: ", ") + ")"
  }

  private static func printed(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .boolean(let boolean): boolean ? "1" : "0"
    case .data(let data): "{length = \(data.count)}"
    case .composite(let elements):
      "{"
        + elements.sortedByCodePoint(\.key).map { "\($0.key) = \(printed($0.value))" }.joined(separator: "; ") + "}"
    default: value.plainText
    }
  }
}
