public import ObjectModel

/// The results of a controller as section names and object ids, which may be handed to other threads.
public struct FetchedResultsSnapshot: Sendable, Hashable {
  /// A section with the ids of its objects.
  public struct Section: Sendable, Hashable {
    /// The section's name.
    public var name: String
    /// Its objects, in order.
    public var objectIDs: [ObjectID]
  }
  /// The sections, in order.
  public var sections: [Section]
  /// All objects, in order.
  public var objectIDs: [ObjectID] { sections.flatMap(\.objectIDs) }
}

/// The same by the names of `NSDiffableDataSourceSnapshot`.
extension FetchedResultsSnapshot {
  /// The names of the sections, in order.
  public var sectionIdentifiers: [String] { sections.map(\.name) }
  /// All objects, in order.
  public var itemIdentifiers: [ObjectID] { objectIDs }
  /// How many sections there are.
  public var numberOfSections: Int { sections.count }
  /// How many objects there are in all sections.
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.objectIDs.count } }

  /// How many objects a section has. A section that is not there is a mistake of the program and stops it.
  public func numberOfItems(inSection name: String) -> Int { itemIdentifiers(inSection: name).count }

  /// The objects of a section, in order. A section that is not there is a mistake of the program and stops it.
  public func itemIdentifiers(inSection name: String) -> [ObjectID] {
    guard let section = sections.first(where: { $0.name == name }) else {
      preconditionFailure("there is no section \"\(name)\"")
    }
    return section.objectIDs
  }

  /// The name of the section that has an object; nil for none.
  public func sectionIdentifier(containingItem id: ObjectID) -> String? {
    sections.first { $0.objectIDs.contains(id) }?.name
  }

  /// The place of a section; nil for none.
  public func indexOfSection(_ name: String) -> Int? { sections.firstIndex { $0.name == name } }

  /// The place of an object among all; nil for none.
  public func indexOfItem(_ id: ObjectID) -> Int? { objectIDs.firstIndex(of: id) }
}
