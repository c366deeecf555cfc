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

  /// As `fetchRequestFromTemplate(withName:substitutionVariables:)`, with values of any type that key-value code has.
  /// One that cannot be an argument of a predicate stops the program.
  @_disfavoredOverload
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> FetchRequest<ManagedObject>? {
    fetchRequestFromTemplate(withName: name, substitutionVariables: variables.mapValues { argument(of: $0) })
  }
}
