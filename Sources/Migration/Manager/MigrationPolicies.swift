/// The migration policies that a program has, by the class names that its mapping models use.
///
/// Only classes that are named here are ever made. A mapping's `Module.Class` finds the policy of that name, else that
/// of `Class`, else one of another module's `Class`, as modules are renamed and `.cdm` files keep the name that Xcode
/// knew. `NSEntityMigrationPolicy`, which is Core Data's default class, is `EntityMigrationPolicy`.
public struct MigrationPolicies: Sendable, ExpressibleByDictionaryLiteral {
  private var classes: [String: EntityMigrationPolicy.Type] = [:]

  /// A list without policies.
  public init() {}

  /// Policies by the class names that mapping models state.
  public init(dictionaryLiteral elements: (String, EntityMigrationPolicy.Type)...) {
    for (name, policy) in elements { classes[name] = policy }
  }

  /// Policies under their own class names.
  public init(_ policies: [EntityMigrationPolicy.Type]) {
    for policy in policies { classes[String(describing: policy)] = policy }
  }

  /// The policy of a name; setting nil removes it.
  public subscript(className: String) -> EntityMigrationPolicy.Type? {
    get { find(className) }
    set { classes[className] = newValue }
  }

  /// The names under which policies are known, sorted.
  public var names: [String] { classes.keys.sorted() }

  /// The class that Core Data uses where a mapping model names none.
  private static let defaultName = "NSEntityMigrationPolicy"

  private func find(_ name: String) -> EntityMigrationPolicy.Type? {
    if let policy = classes[name] { return policy }
    let bare = Self.bare(name)
    if let policy = classes[bare] { return policy }
    let candidates = classes.filter { Self.bare($0.key) == bare }
    if candidates.isEmpty, bare == Self.defaultName { return EntityMigrationPolicy.self }
    return candidates.count == 1 ? candidates.first?.value : nil
  }

  private static func bare(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }
}
