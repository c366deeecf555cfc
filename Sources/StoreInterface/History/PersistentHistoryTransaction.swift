public import Foundation
public import ObjectModel

/// One save, or one part of a long import, in the history of a store: when it was made, by what, and what it changed.
public struct PersistentHistoryTransaction: Sendable, Hashable {
  /// Counts the store's transactions from 1. A number is never given out twice.
  public let transactionNumber: Int64
  /// The identifier of the store.
  public let storeID: String
  /// When it was committed.
  public let timestamp: Date
  /// `ManagedObjectContext.transactionAuthor` of the context that saved, or the name of the pipeline.
  public let author: String?
  /// The name of the context that saved.
  public let contextName: String?
  /// The bundle identifier of the program that saved; empty where the store does not say it.
  public let bundleID: String
  /// The name of the process that saved; empty where the store does not say it.
  public let processID: String
  /// What was changed, in the order in which objects were first changed: one change for each object. Nil where changes
  /// were not asked for.
  public var changes: [PersistentHistoryChange]?

  /// A transaction as a store has it.
  public init(
    transactionNumber: Int64, storeID: String, timestamp: Date, author: String? = nil, contextName: String? = nil,
    bundleID: String = "", processID: String = "", changes: [PersistentHistoryChange]? = nil
  ) {
    self.transactionNumber = transactionNumber
    self.storeID = storeID
    self.timestamp = timestamp
    self.author = author
    self.contextName = contextName
    self.bundleID = bundleID
    self.processID = processID
    self.changes = changes
  }

  /// The place behind this transaction.
  public var token: PersistentHistoryToken {
    PersistentHistoryToken(store: storeID, transactionNumber: transactionNumber)
  }
}

/// The change of one object in one transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
  /// Counts the store's changes from 1.
  public let changeID: Int64
  /// The object that was changed.
  public let changedObjectID: ObjectID
  /// The type of the change.
  public let changeType: PersistentHistoryChangeType
  /// The number of the transaction that the change is a part of.
  public let transactionNumber: Int64
  /// The properties of an updated object that have other values, or of which it may be so; nil for the other types.
  public let updatedPropertyNames: Set<String>?
  /// The values that a deleted object had, of the attributes that the model asks to preserve, without those that were
  /// null; nil for the other types.
  public let tombstoneValues: [String: Value]?

  /// A change as a store has it.
  public init(
    changeID: Int64, changedObjectID: ObjectID, changeType: PersistentHistoryChangeType, transactionNumber: Int64,
    updatedPropertyNames: Set<String>? = nil, tombstoneValues: [String: Value]? = nil
  ) {
    self.changeID = changeID
    self.changedObjectID = changedObjectID
    self.changeType = changeType
    self.transactionNumber = transactionNumber
    self.updatedPropertyNames = updatedPropertyNames
    self.tombstoneValues = tombstoneValues
  }
}

/// The types of changes, with Core Data's numbers.
public enum PersistentHistoryChangeType: Int, Sendable, Hashable, CaseIterable {
  case insert = 0
  case update = 1
  case delete = 2
}
