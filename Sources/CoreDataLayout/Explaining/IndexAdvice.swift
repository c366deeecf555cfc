import ObjectModel
public import StoreInterface

/// An index that would help a request, as the `sqlite3` shell's `.expert` suggests it, and what it gains.
public struct IndexAdvice: Sendable, Hashable {
  /// An attribute or to-one relationship of the index.
  public struct Element: Sendable, Hashable {
    /// The name in the model.
    public var property: String
    /// Whether its values ascend.
    public var isAscending: Bool
  }

  /// A column of the index that the declaration makes.
  struct Column: Sendable, Hashable {
    var name: String
    var isAscending: Bool
  }

  /// The entity that the index is to be declared at: the one whose table it is about.
  public var entity: String
  /// What is indexed, in this order.
  public var elements: [Element]
  /// The table and the columns of the index that the declaration makes.
  let table: String
  let columns: [Column]
  /// How long the request's statement takes in a copy of the store without the index, as the median of five runs, in
  /// seconds.
  public var secondsBefore: Double
  /// The same with the index.
  public var secondsAfter: Double

  /// The index as a model's source has it, for the entity's element.
  public var declaration: String {
    let name =
      "by" + elements.map { $0.property.prefix(1).uppercased() + $0.property.dropFirst() }.joined(separator: "And")
    let lines = elements.map { element in
      "    <fetchIndexElement property=\"\(element.property)\" type=\"Binary\" "
        + "order=\"\(element.isAscending ? "ascending" : "descending")\"/>"
    }
    return (["<fetchIndex name=\"\(name)\">"] + lines + ["</fetchIndex>"]).joined(separator: "\n")
  }
}

extension SQLiteStore {
  /// Indexes that would help a request; see `IndexAdvisor`, which is for several.
  /// - Returns: none where the request has the indexes that it needs.
  /// - Throws: `IndexAdviceError`, and what the request itself throws.
  public func indexAdvice(for request: FetchSpecification) throws -> [IndexAdvice] {
    try IndexAdvisor(self).advice(for: explanation(of: request))
  }
}

extension IndexAdvice {
  /// What `CREATE INDEX name ON table(column, column DESC)` means in the model; nil where a column belongs to no
  /// property.
  init?(suggestion sql: String, _ layout: StoreLayout) {
    guard let match = sql.firstMatch(of: /CREATE INDEX \S+ ON (\w+)\((.+)\)/),
      let table = layout.tables.first(where: { $0.name == match.output.1 })
    else { return nil }
    var elements: [Element] = []
    var columns: [Column] = []
    var owner = table.root
    for part in match.output.2.split(separator: ",") {
      let words = part.split(separator: " ")
      // Rows of a table end with these anyway.
      if words[0] == "Z_PK" || words[0] == "Z_ENT" { continue }
      guard let column = table.columns.first(where: { $0.name == words[0] }), let index = column.entityIndex else {
        return nil
      }
      columns.append(Column(name: column.name, isAscending: words.last != "DESC"))
      switch column.role {
      case .attribute(let path, _):
        elements.append(Element(property: path.joined(separator: "."), isAscending: words.last != "DESC"))
      case .foreignKey(let name): elements.append(Element(property: name, isAscending: words.last != "DESC"))
      default: return nil
      }
      // The lowest of the entities has all of the properties.
      if layout.model.entities[index].isKind(of: owner) { owner = layout.model.entities[index] }
    }
    if elements.isEmpty { return nil }
    self.init(
      entity: owner.name, elements: elements, table: table.name, columns: columns, secondsBefore: 0, secondsAfter: 0)
  }
}
