/// A fetched property, as Core Data's code makes and reads it: a request that belongs to an entity.
public final class FetchedPropertyDescription: PropertyDescription, @unchecked Sendable {
  private var stored: FetchedPropertyDefinition

  /// A fetched property that has no `fetchRequest` yet. A model refuses one without a name or a request.
  public override init() {
    stored = FetchedPropertyDefinition("", fetchRequest: FetchRequestTemplate("", entityName: ""))
  }

  init(_ definition: FetchedPropertyDefinition) { stored = definition }

  /// The definition: this description as a value, which can be compared, edited and sent anywhere.
  public var definition: FetchedPropertyDefinition { stored }

  public override var name: String {
    get { stored.name }
    set {
      requireChangeable()
      stored.name = newValue
    }
  }
  override var entries: [String: String] {
    get { stored.userInfo }
    set {
      requireChangeable()
      stored.userInfo = newValue
    }
  }

  public override func copy() -> Any { FetchedPropertyDescription(definition) }

  /// The request as a template.
  package var template: FetchRequestTemplate {
    get { stored.fetchRequest }
    set {
      requireChangeable()
      stored.fetchRequest = newValue
    }
  }
}
