import ObjectModel

/// The composite types of a model: as XML, and decoded once each on first use.
struct CompositeTypes {
  /// The most elements that one composite may have in all, those of its composites included. It keeps composites of
  /// composites of composites from growing without bound.
  static let maximumElementCount = 4096
  static let maximumDepth = 16

  var nodes: [String: XMLNode] = [:]
  var elements: [String: [AttributeDefinition]] = [:]
  /// How many elements each type has in all.
  var elementCounts: [String: Int] = [:]
}

extension ModelDecoder {
  /// Decodes every composite type, so that mistakes in unused ones are found too.
  mutating func decodeComposites(_ root: XMLNode) {
    var names: [String] = []
    for child in root.children where child.name == "composite" {
      var reader = NodeReader(child)
      guard let name = reader.requiredText("name", &log) else { continue }
      reader.ignore("elementID", "versionHashModifier")
      reader.finish(&log)
      for element in child.children where !["attribute", "userInfo"].contains(element.name) {
        reader.unknown(element, &log)
      }
      guard composites.nodes[name] == nil else {
        reader.fail(
          .duplicateName, "there is more than one composite named \(name)", hint: "rename or remove one of them", &log)
        continue
      }
      composites.nodes[name] = child
      names.append(name)
    }
    for name in names { decodeComposite(name, inside: []) }
  }

  /// The elements of the composite type that an attribute names; none, with a mistake reported, when it cannot be used.
  mutating func compositeElements(
    _ name: String, usedBy reader: NodeReader, inside enclosing: [String]
  ) -> [AttributeDefinition] {
    func fail(_ message: String, _ hint: String) {
      reader.fail(.invalidComposite, message, hint: hint, &log)
    }
    guard composites.nodes[name] != nil else {
      fail(
        "the composite type \(name) is not in the model", "add <composite name=\"\(name)\"> or correct the name")
      return []
    }
    if enclosing.contains(name) {
      let chain = (enclosing + [name]).joined(separator: " → ")
      fail("composites contain each other: \(chain)", "remove one of these elements")
      return []
    }
    if enclosing.count >= CompositeTypes.maximumDepth {
      fail("composites are nested more than \(CompositeTypes.maximumDepth) deep", "flatten the composite types")
      return []
    }
    decodeComposite(name, inside: enclosing)
    return composites.elements[name] ?? []
  }

  private mutating func decodeComposite(_ name: String, inside enclosing: [String]) {
    guard composites.elements[name] == nil, let node = composites.nodes[name] else { return }
    let owner = "composite \(name)"
    var elements: [AttributeDefinition] = []
    var elementCount = 0
    for child in node.children where child.name == "attribute" {
      guard let element = decodeAttribute(child, owner: owner, inside: enclosing + [name]) else { continue }
      elements.append(element)
      elementCount += 1 + (element.composite.flatMap { composites.elementCounts[$0.name] } ?? 0)
    }
    if elementCount > CompositeTypes.maximumElementCount {
      NodeReader(node, entity: owner).fail(
        .invalidComposite, "it has more than \(CompositeTypes.maximumElementCount) elements in all",
        hint: "use fewer or smaller composites", &log)
      elements = []
      elementCount = 0
    }
    composites.elements[name] = elements
    composites.elementCounts[name] = elementCount
  }
}
