/// Writes `items.yaml`: one import step into `Item`, in the workspace's folder.
struct ItemPipeline {
  var source = "items.csv"
  var entity = "Item"
  var match = "match: [identifier]"
  /// Further lines of the step, such as `duplicates: reject`.
  var settings: [String] = []
  var map = ItemPipeline.fullMap
  var replace = "always"
  var rejects = "file: rejects.csv, limit: 0"
  /// Further steps and sections, as YAML.
  var more = ""

  static let header = "id,name,small,count,large,ratio,rank,code,note,parent"
  static let fullMap = [
    "identifier: id", "name: name", "small: small", "count: count", "large: large", "ratio: ratio",
    "rank: { from: rank, default: 5 }", "code: code", "note: note", "parent: { match: identifier, from: parent }",
  ]

  var yaml: String {
    """
    model: Shop.xcdatamodeld
    store: { path: Shop.sqlite, replace: \(replace) }
    import:
      - from: \(source)
        entity: \(entity)
        \(match)
    \(settings.map { "    \($0)\n" }.joined())    map:
    \(map.map { "      \($0)" }.joined(separator: "\n"))
    \(more)
    rejects: { \(rejects) }
    """
  }

  func write(to workspace: Workspace) throws {
    try workspace.write("items.yaml", yaml)
  }
}
