import Foundation
public import ObjectModel

/// Why a store could not be migrated. The store is unchanged.
public struct MigrationError: Error, Sendable {
  /// What is wrong, for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The mapping model contradicts itself or the models: an expression that cannot be read, a name of nothing.
    case mappingModel
    /// A migration policy that is not registered, or lacks a function that an expression calls.
    case policy
    /// A value or an object that does not fit the newer model.
    case value
    /// Objects of the result break the newer model's rules.
    case validation
    /// The program cancelled the migration.
    case cancelled
    /// The source store cannot be read.
    case sourceStore
    /// The destination store cannot be written.
    case destinationStore
    /// Another program wrote to the store while it was migrated, and what it wrote would be lost.
    case changedStore
    /// No known model is that of the store.
    case missingSourceModel
    /// There is no way from the store's model to the wanted one.
    case missingMappingModel
    /// The store was made with a newer version than the wanted one, and going back would lose data.
    case newerStore
    /// No one step leads to the wanted model, and the steps through versions in between would lose what that model has.
    case lossesOnTheWay
    /// A handler or hook of the program threw.
    case program
  }

  /// What is wrong, for programs.
  public var code: Code
  /// What is wrong, for people.
  public var message: String
  /// The mapping model that it is about, by its file or the name that the program gave it.
  public var mappingModel: String?
  /// The entity mapping that it is about.
  public var mapping: String?
  /// The entity, by its name in the newer model where it has one.
  public var entity: String?
  /// The property of that entity.
  public var property: String?
  /// The source object that was being migrated, else the new object that is wrong.
  public var objectID: ObjectID?
  /// What to do about it.
  public var hint: String?
  /// The error that caused this one.
  public var underlyingError: (any Error)?

  init(
    _ code: Code, _ message: String, mapping: String? = nil, entity: String? = nil, property: String? = nil,
    objectID: ObjectID? = nil, hint: String? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.mapping = mapping
    self.entity = entity
    self.property = property
    self.objectID = objectID
    self.hint = hint
    underlyingError = underlying
  }

  /// The error with what it is about, where it does not say so itself.
  func about(
    mappingModel: String? = nil, mapping: String? = nil, entity: String? = nil, property: String? = nil,
    objectID: ObjectID? = nil
  ) -> MigrationError {
    var error = self
    error.mappingModel = self.mappingModel ?? mappingModel
    error.mapping = self.mapping ?? mapping
    error.entity = self.entity ?? entity
    error.property = self.property ?? property
    error.objectID = self.objectID ?? objectID
    return error
  }
}

extension MigrationError: CustomStringConvertible {
  /// Where it happened, what, and the hint on a line of its own.
  public var description: String { sentence + (hint.map { "\n  hint: \($0)" } ?? "") }

  var sentence: String {
    var places: [String] = []
    if let mappingModel { places.append("mapping model \(mappingModel)") }
    if let mapping { places.append("mapping \(mapping)") }
    if let entity {
      places.append(entity + (property.map { "." + $0 } ?? ""))
    } else if let property {
      places.append(property)
    }
    if let objectID { places.append(Self.name(of: objectID)) }
    return places.isEmpty ? message : places.joined(separator: ", ") + ": " + message
  }

  /// Such as `Note 12`.
  private static func name(of id: ObjectID) -> String {
    "object \(id.entity.name) \(id.primaryKey.map { String($0) } ?? "that is new")"
  }
}

extension MigrationError: BridgedError {
  /// Where it happened, and what.
  public var errorDescription: String? { sentence }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// Core Data's code for errors of this kind.
  public var errorCode: Int {
    switch code {
    case .mappingModel, .value, .program: CoreDataErrorCode.migration
    case .policy: CoreDataErrorCode.entityMigrationPolicy
    case .validation: CoreDataErrorCode.managedObjectValidation
    case .cancelled: CoreDataErrorCode.migrationCancelled
    case .sourceStore: CoreDataErrorCode.migrationManagerSourceStore
    case .destinationStore, .changedStore: CoreDataErrorCode.migrationManagerDestinationStore
    case .missingSourceModel: CoreDataErrorCode.migrationMissingSourceModel
    case .missingMappingModel, .newerStore, .lossesOnTheWay: CoreDataErrorCode.migrationMissingMappingModel
    }
  }

  /// The description, what was thrown underneath, and the object.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: sentence]
    information[NSLocalizedRecoverySuggestionErrorKey] = hint
    information[NSUnderlyingErrorKey] = underlyingError
    if let objectID { information[CoreDataErrorKey.affectedObjects] = [objectID] }
    information[CoreDataErrorKey.validationKey] = property
    return information
  }
}
