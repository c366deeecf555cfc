/// A place in the history of one or several stores: behind the last transaction that was seen of each.
///
/// As text, a token is `identifier:number`, several with commas between them, so that it can be kept in a file or given
/// to a command.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
  /// The number of the last transaction that was seen, by the store's identifier. 0 stands before the first.
  public var transactionNumbers: [String: Int64]

  /// A place behind these transactions.
  public init(transactionNumbers: [String: Int64]) { self.transactionNumbers = transactionNumbers }

  /// A place behind a transaction of one store.
  public init(store identifier: String, transactionNumber: Int64) {
    transactionNumbers = [identifier: transactionNumber]
  }

  /// The number of the last transaction of a store that was seen; nil where the token does not have the store.
  public subscript(store identifier: String) -> Int64? { transactionNumbers[identifier] }
}

extension PersistentHistoryToken: LosslessStringConvertible {
  /// Reads what `description` writes of at least one store; nil for any other text.
  public init?(_ description: String) {
    var numbers: [String: Int64] = [:]
    for part in description.split(separator: ",", omittingEmptySubsequences: false) {
      guard let colon = part.lastIndex(of: ":"), colon > part.startIndex,
        let number = Int64(part[part.index(after: colon)...]), number >= 0,
        numbers.updateValue(number, forKey: String(part[..<colon])) == nil
      else { return nil }
    }
    transactionNumbers = numbers
  }

  /// The token as text, its stores sorted.
  public var description: String {
    transactionNumbers.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }
}
