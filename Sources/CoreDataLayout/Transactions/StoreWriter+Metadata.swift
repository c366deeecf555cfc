import PropertyLists

extension StoreWriter {
  /// See `SQLiteStore.setMetadata`. `Z_METADATA` is written in one transaction, or in a savepoint of the open one, and
  /// only where something changes.
  func setMetadata(_ changes: [String: PropertyListValue?], identifier: String?) throws {
    try performAtomically {
      let before = file.metadata
      var changed = before
      if let identifier { changed.uuid = identifier.uppercased() }
      for (key, value) in changes { changed.values[key] = value }
      if changed == before { return }
      try changed.write(to: connection)
      hasWrittenMetadata = true
      file.replaceMetadata(with: changed)
    }
  }

  /// Replaces the entries of programs, of what the file has now.
  func replaceMetadata(with values: [String: Any]) throws {
    try performAtomically {
      var changed = try StoreMetadata(connection)
      for (key, value) in try changed.changes(toProgramValues: values) { changed.values[key] = value }
      try changed.write(to: connection)
      hasWrittenMetadata = true
      file.replaceMetadata(with: changed)
    }
  }

  /// To be called when a transaction, or a part of one, was undone: what it wrote is not in the file.
  func adoptStoredMetadata() throws {
    if hasWrittenMetadata { file.replaceMetadata(with: try StoreMetadata(connection)) }
  }
}
