// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

import Seedbed

/// The classes of the model's entities.
enum SurfJournalClasses {
  /// Entity name to class: what a persistent container is made with.
  static var byEntityName: [String: ManagedObject.Type] {
    [
      "JournalEntry": JournalEntry.self,
    ]
  }

  static func checked<Object: ManagedObject>(_ object: ManagedObject) -> Object {
    guard let checked = object as? Object else {
      preconditionFailure("objects of \(object.entity.name) are of another class; make the container with byEntityName")
    }
    return checked
  }
}
