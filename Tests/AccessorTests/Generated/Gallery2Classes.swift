// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

/// The classes of the model's entities.
public enum Gallery2Classes {
  /// Entity name to class: what a persistent container is made with.
  public static var byEntityName: [Swift.String: ManagedObject.Type] {
    [
      "Artist": Artist.self,
      "City": City.self,
      "Data": Data.self,
      "House": House.self,
      "Left": Left.self,
      "Painting": Painting.self,
      "Right": Right.self,
      "Room": Room.self,
      "Visitor": Visitor.self,
      "Work": Work.self,
    ]
  }

  static func checked<Object: ManagedObject>(_ object: ManagedObject) -> Object {
    guard let checked = object as? Object else {
      preconditionFailure("objects of \(object.entity.name) are of another class; make the container with byEntityName")
    }
    return checked
  }
}
