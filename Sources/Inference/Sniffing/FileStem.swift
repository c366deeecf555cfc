/// The part of a file's name that says what is in it.
enum FileStem {
  private static let packed: Set<String> = ["gz", "zip", "zst", "bz2", "xz"]
  private static let formats: Set<String> = ["csv", "tsv", "tab", "txt", "json", "ndjson", "jsonl", "plist"]

  /// The name without folder, extensions, and what dates or numbers it behind a dot: `title.basics` for
  /// `in/title.basics.tsv.gz`, `orders` for `orders.2024-01-05.csv`.
  static func stem(of path: String) -> String {
    let name = path.split { $0 == "/" || $0 == "!" }.last.map(String.init) ?? path
    var parts = name.split(separator: ".").map(String.init)
    while parts.count > 1, let last = parts.last, packed.contains(last.lowercased()) { parts.removeLast() }
    while parts.count > 1, let last = parts.last, formats.contains(last.lowercased()) { parts.removeLast() }
    // An extension that says nothing here; `u.item` says nothing without it.
    if parts.count == name.split(separator: ".").count, parts.count > 1, let last = parts.last, last.count < 5,
      parts[0].count > 1 || parts.count > 2
    {
      parts.removeLast()
    }
    while parts.count > 1, let last = parts.last, last.first?.isNumber ?? true || isVersion(last) { parts.removeLast() }
    return parts.isEmpty ? name : parts.joined(separator: ".")
  }

  /// `v2`
  private static func isVersion(_ part: String) -> Bool {
    part.count > 1 && part.lowercased().first == "v" && part.dropFirst().allSatisfy(\.isNumber)
  }
}
