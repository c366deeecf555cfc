/// The tables that `ManagedObjectModel` computes once: parents, children, inherited properties.
struct ResolvedModel: Sendable {
  var indexByName: [String: Int] = [:]
  var parent: [Int?] = []
  var children: [[Int]] = []
  var root: [Int] = []
  var attributes: [[AttributeDescription]] = []
  var relationships: [[RelationshipDescription]] = []

  init(_ entities: [EntityDescription], configurations: [String: [String]]) throws(ModelError) {
    // H1: validate everything, collect all problems, then resolve.
    for (index, entity) in entities.enumerated() { indexByName[entity.name] = index }
    parent = entities.map { entity in entity.superentityName.flatMap { name in indexByName[name] } }
    children = entities.indices.map { here in entities.indices.filter { parent[$0] == here } }
    root = entities.indices.map { start in
      var here = start
      while let next = parent[here] { here = next }
      return here
    }
    for index in entities.indices {
      var chain = [index]
      while let last = chain.last, let next = parent[last] { chain.append(next) }
      attributes.append(chain.flatMap { entities[$0].attributes }.sorted { $0.name < $1.name })
      relationships.append(chain.flatMap { entities[$0].relationships }.sorted { $0.name < $1.name })
    }
  }

  func index(of name: String) -> Int {
    guard let index = indexByName[name] else { preconditionFailure("validated model lacks entity \(name)") }
    return index
  }
}
