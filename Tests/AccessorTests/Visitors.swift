public import Seedbed

/// The class of an entity of the category kind: `generate` makes its properties only.
public class Visitor: ManagedObject {
  var greeting: Swift.String { "Welcome, \(name ?? "stranger")" }
}
