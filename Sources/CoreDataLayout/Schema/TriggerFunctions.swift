import Predicates
package import SQLite

/// The SQL functions that triggers of a store call.
package enum TriggerFunctions {
  /// Functions that only Core Data has and that its triggers call to tell contexts of changed values. The triggers do
  /// their work in SQL, so doing nothing here is enough.
  private static let notifyingFunctions: Set<String> = [
    "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    "NSCoreDataTriggerUpdateAffectedObjectValue",
  ]

  /// Registers what triggers call: Core Data's own functions, those that triggers of this store name besides, and the
  /// text functions of derived attributes.
  ///
  /// A function of Core Data's that is not known here yields null. Where it computes a derived attribute, the value is
  /// put right at the end of the transaction; see `DerivedDataMaintainer`.
  package static func register(on connection: Connection) throws(SQLiteError) {
    for name in try notifyingFunctions.union(functionsInTriggers(of: connection)).sorted() {
      try connection.registerFunction(name, argumentCount: -1) { _ in .null }
    }
    for function in DerivationFormula.TextFunction.allCases {
      try connection.registerFunction(
        ResolvedDerivation.functionName(function), argumentCount: 1, isDeterministic: true
      ) { arguments in
        guard case .text(let text) = arguments[0] else { return .null }
        return .text(function.apply(to: text))
      }
    }
  }

  /// Names of Core Data's functions in the text of the store's triggers.
  private static func functionsInTriggers(of connection: Connection) throws(SQLiteError) -> Set<String> {
    let statement = try Statement(connection, "SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    var names: Set<String> = []
    while try statement.step() {
      let text = statement.string(at: 0) ?? ""
      for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") })
      where word.hasPrefix("NSCoreData") {
        names.insert(String(word))
      }
    }
    return names
  }
}
