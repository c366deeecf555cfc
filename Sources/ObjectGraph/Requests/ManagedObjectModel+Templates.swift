public import ObjectModel
public import Predicates

extension ManagedObjectModel {
  /// The request of the model's template of that name, with its variables still in it; nil when there is none. A
  /// template whose predicate or entity cannot be read is a mistake of the model and stops the program;
  /// `FetchRequest(template:model:variables:)` throws.
  public func fetchRequestTemplate(forName name: String) -> FetchRequest<ManagedObject>? {
    fetchRequestFromTemplate(withName: name, substitutionVariables: [:])
  }

  /// The request of the model's template of that name, with values for the variables of its predicate (`$TITLE`).
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: (any PredicateArgument)?]
  ) -> FetchRequest<ManagedObject>? {
    guard let template = fetchRequestTemplates[name] else { return nil }
    do {
      return try FetchRequest(template: template, model: self, variables: variables)
    } catch {
      preconditionFailure("the template \(name) cannot be used: \(error)")
    }
  }

  /// The same, for results of the type that is asked for: `let request: FetchRequest<Recipe>? = …`.
  @_disfavoredOverload
  public func fetchRequestFromTemplate<Result>(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> FetchRequest<Result>? {
    fetchRequestFromTemplate(withName: name, substitutionVariables: variables).map { $0.typed() }
  }

  /// As `fetchRequestTemplate(forName:)`, for results of the type that is asked for.
  @_disfavoredOverload
  public func fetchRequestTemplate<Result>(forName name: String) -> FetchRequest<Result>? {
    fetchRequestTemplate(forName: name).map { $0.typed() }
  }

  /// Gives a model that is not in use yet a template; nil takes one away. A request that says what no template can, an
  /// order, an offset or a predicate that is a closure, stops the program.
  public func setFetchRequestTemplate<Result>(_ request: FetchRequest<Result>?, forName name: String) {
    let template = request.map { FetchRequestTemplate(name, saying: $0.settings) }
    edit { $0.templates[name] = template }
  }

  /// As `fetchRequestFromTemplate(withName:substitutionVariables:)`, with values of any type that key-value code has.
  /// One that cannot be an argument of a predicate stops the program.
  @_disfavoredOverload
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> FetchRequest<ManagedObject>? {
    fetchRequestFromTemplate(withName: name, substitutionVariables: variables.mapValues { argument(of: $0) })
  }
}

extension FetchRequest {
  /// A request that says the same, for results of another type.
  fileprivate func typed<Result>() -> FetchRequest<Result> {
    let request = FetchRequest<Result>(sharing: settings)
    if let type = Result.self as? any FetchRequestResult.Type {
      request.settings.resultType = type.fetchRequestResultType
    }
    return request
  }
}

extension FetchedPropertyDescription {
  /// The request, in whose predicate `$FETCH_SOURCE` is the object that has the property. Nil until it is set; in a
  /// finished model, each time another that says the same.
  public var fetchRequest: FetchRequest<any FetchRequestResult>? {
    get {
      guard !template.entityName.isEmpty else { return nil }
      let request = FetchRequest<any FetchRequestResult>(entityName: template.entityName)
      request.predicate = template.predicate.map { FetchPredicate(format: $0) }
      request.fetchLimit = template.fetchLimit
      request.fetchBatchSize = template.fetchBatchSize
      request.includesSubentities = template.includesSubentities
      request.includesPendingChanges = template.includesPendingChanges
      request.includesPropertyValues = template.includesPropertyValues
      request.returnsObjectsAsFaults = template.returnsObjectsAsFaults
      request.returnsDistinctResults = template.returnsDistinctResults
      switch template.resultType {
      case 1: request.resultType = .managedObjectIDResultType
      case 2: request.resultType = .dictionaryResultType
      case 4: request.resultType = .countResultType
      default: request.resultType = .managedObjectResultType
      }
      return request
    }
    set {
      // Xcode's name of such requests.
      let name = "fetchedPropertyFetchRequest"
      template =
        newValue.map { FetchRequestTemplate(name, saying: $0.settings) } ?? FetchRequestTemplate(name, entityName: "")
    }
  }
}

extension FetchRequestTemplate {
  /// A template that says what a request does, as far as templates can.
  fileprivate init(_ name: String, saying settings: FetchRequestSettings) {
    precondition(
      settings.sortDescriptors?.isEmpty ?? true && settings.fetchOffset == 0,
      "a request of a model has no order and no offset: \(settings.statedName ?? "")")
    precondition(settings.predicate?.hasBlocks != true, "a request of a model has a predicate that can be written")
    self.init(name, entityName: settings.statedName ?? "", predicate: settings.predicate?.predicateFormat)
    fetchLimit = settings.fetchLimit
    fetchBatchSize = settings.fetchBatchSize
    includesSubentities = settings.includesSubentities
    includesPendingChanges = settings.includesPendingChanges
    includesPropertyValues = settings.includesPropertyValues
    returnsObjectsAsFaults = settings.returnsObjectsAsFaults
    returnsDistinctResults = settings.returnsDistinctResults
    resultType =
      switch settings.resultType {
      case .managedObjectResultType: 0
      case .managedObjectIDResultType: 1
      case .dictionaryResultType: 2
      case .countResultType: 4
      }
  }
}
