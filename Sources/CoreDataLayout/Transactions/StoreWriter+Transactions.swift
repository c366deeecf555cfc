import SQLite

extension StoreWriter {
  /// Runs `body` alone, with all changes made or none.
  /// - Parameter beforeCommit: runs when everything has been written; nothing is when it throws.
  func performAtomically<Result>(
    beforeCommit: () throws -> Void = {}, _ body: () throws -> Result
  ) throws -> Result {
    try session.perform {
      try requireWhole()
      let isOutermost = isWhole ? !isPartOpen : !connection.isInTransaction
      if isOutermost { history?.reset() }
      let recorded = history?.pending
      do {
        let result = try connection.atomically(mapping: { $0 as any Error }) {
          let result = try body()
          if isOutermost { try finishTransaction() }
          try beforeCommit()
          return result
        }
        if isOutermost { removeUnnamedFiles() }
        return result
      } catch {
        if let recorded { history?.restore(recorded) }
        try? adoptStoredMetadata()
        if isOutermost {
          pendingOrderKeys.removeAll()
          removeUnnamedFiles()
        }
        throw error
      }
    }
  }

  /// Opens a transaction that lasts over several calls.
  func begin() throws {
    try session.perform {
      try requireWhole()
      if isWhole {
        try connection.execute("SAVEPOINT part")
        isPartOpen = true
      } else {
        try connection.begin()
      }
      history?.reset()
    }
  }

  /// Ends the transaction that `begin` opened and keeps its changes. Order keys that are still missing are assigned
  /// first.
  func commit() throws {
    try session.perform {
      try requireWhole()
      try finishTransaction()
      if isWhole {
        try connection.execute("RELEASE part")
        isPartOpen = false
        return
      }
      try connection.commit()
      removeUnnamedFiles()
    }
  }

  /// Undoes the transaction that `begin` opened; does nothing when there is none.
  func rollback() throws {
    try session.perform {
      pendingOrderKeys.removeAll()
      history?.reset()
      session.resetStatements()
      if isWhole {
        if isPartOpen, connection.isInTransaction { try connection.execute("ROLLBACK TO part; RELEASE part") }
        isPartOpen = false
      } else {
        try connection.rollback()
        removeUnnamedFiles()
      }
      try adoptStoredMetadata()
    }
  }

  private func finishTransaction() throws {
    if !hasDeferredIndexes {
      try writeOrderKeys()
      try maintainer?.updateDerived()
    }
    try history?.finish()
  }

  /// Removes files of external data that the transaction that has just ended left without a row. A store under
  /// construction waits for `seal`, since the search goes through all rows. A file that cannot be removed now takes
  /// up space and does no harm: the next transaction tries again.
  func removeUnnamedFiles() {
    if options.isUnderConstruction || connection.isInTransaction { return }
    try? externalData.removeUnnamed(connection)
  }
}
