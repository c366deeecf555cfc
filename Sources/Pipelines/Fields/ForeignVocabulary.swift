/// Words that users bring from other tools, and what stands for them here.
enum ForeignVocabulary {
  /// Keys of pipeline files.
  private static let keys: [String: [String]] = [
    "source": ["from"], "input": ["from"], "file": ["path", "from", "to"], "filename": ["path", "from"],
    "url": ["path", "from"],
    "data": ["from"], "src": ["from", "path"],
    "expression": ["from"], "column": ["from", "value"], "field": ["from", "value"], "by": ["match"], "on": ["match"],
    "steps": ["import"], "sources": ["import"], "entities": ["import"], "imports": ["import"], "load": ["import"],
    "table": ["entity"], "class": ["entity"], "type": ["entity", "format"], "object": ["entity"],
    "columns": ["map"], "fields": ["map"], "mapping": ["map"], "attributes": ["map"], "properties": ["map"],
    "output": ["store", "to", "path"], "target": ["store", "to"], "database": ["store"],
    "destination": ["store", "to"],
    "exports": ["export"], "outputs": ["export"],
    "schema": ["model"], "datamodel": ["model"],
    "sep": ["delimiter"], "separator": ["delimiter"], "quotechar": ["quote"], "charset": ["encoding"],
    "filter": ["where"], "condition": ["where"], "primary_key": ["match"], "primaryKey": ["match"], "keys": ["match"],
    "unique": ["match"], "id": ["match"],
    "sort": ["order"], "order_by": ["order"], "orderBy": ["order"], "date_format": ["dates", "date"],
    "dateFormat": ["dates", "date"], "timezone": ["time-zone"], "null_values": ["nulls"], "na": ["nulls"],
    "errors": ["rejects"], "mode": ["replace", "strategy"], "max": ["limit"],
  ]

  /// The key that is meant by a word of another tool, among those that are known.
  static func hint(forKey key: String, among names: [String]) -> String? {
    keys[key].flatMap { $0.first { names.contains($0) } }.map { "did you mean \"\($0)\"?" }
  }

  /// The value to write instead of one that a field cannot have; nil where no value is likely meant.
  static func hint(forValue text: String, of field: FieldSpec) -> String? {
    switch (field.type, text.lowercased()) {
    case (.boolean, "no"), (.boolean, "off"), (.boolean, "n"): return "write \(field.name): false"
    case (.boolean, "yes"), (.boolean, "on"), (.boolean, "y"): return "write \(field.name): true"
    case (.character, let word):
      return characters[word].map { "write \(field.name): \($0)" }
    case (.integer, let word) where word.hasSuffix("%"):
      return field.name == "limit" ? "for a part of the records write percent: \(word.dropLast())" : nil
    case (.number, let word) where word.hasSuffix("%"):
      return "write it without the sign: \(field.name): \(word.dropLast())"
    case (.choice(let words), let word): return choice(word, of: field.name, words)
    default: return nil
    }
  }

  private static let characters = [
    "tab": "\"\\t\"", "\\t": "\"\\t\" in double quotes", "semicolon": "\";\"", "comma": "\",\"", "pipe": "\"|\"",
    "colon": "\":\"", "space": "\" \"", "hash": "\"#\"", "none": "null",
  ]

  private static func choice(_ word: String, of name: String, _ words: [String]) -> String? {
    let meant: String?
    switch (name, word) {
    case ("direction", "desc"): meant = "descending"
    case ("direction", "asc"): meant = "ascending"
    case ("replace", "true"), ("replace", "yes"): meant = "always"
    case ("replace", "false"), ("replace", "no"), ("replace", "append"): meant = "never"
    case ("on-match", "skip"), ("on-match", "ignore"): meant = "keep"
    case ("on-match", "error"): meant = "fail"
    case ("on-match", "merge"): meant = "update"
    case ("strategy", "insert"), ("strategy", "append"): meant = "bulk"
    case ("strategy", "merge"): meant = "upsert"
    case ("format", "jsonl"): meant = "ndjson"
    case ("format", "tab"): meant = "tsv"
    case ("format", "excel"), ("format", "xlsx"), ("format", "xls"):
      return "save the sheet as CSV in UTF-8, and name that file"
    case ("encoding", "iso-8859-1"), ("encoding", "latin1"), ("encoding", "iso8859-1"): meant = "latin-1"
    case ("encoding", "cp1252"), ("encoding", "windows1252"), ("encoding", "ansi"), ("encoding", "cp-1252"):
      meant = "windows-1252"
    default: meant = nil
    }
    return meant.flatMap { words.contains($0) ? "did you mean \"\($0)\"?" : nil }
  }

  /// The word of a choice that another one stands for without a doubt; nil for all others.
  static func synonym(_ word: String, of field: FieldSpec) -> String? {
    field.name == "encoding" && word.lowercased() == "cp1252" ? "windows-1252" : nil
  }
}
