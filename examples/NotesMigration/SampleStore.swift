import Foundation
import Seedbed

/// A store of one of the versions, with three notes in it.
enum SampleStore {
  /// Makes the store.
  /// - Parameter version: from 1 to 4.
  static func make(version: Int, at url: URL) throws {
    let model = try NotesModel.library().versions[version - 1].model
    let container = PersistentContainer(
      name: "Notes", managedObjectModel: model,
      persistentStoreDescriptions: [PersistentStoreDescription(type: .sqlite, url: url)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for (number, title) in ["Shopping", "Holiday", "Ideas"].enumerated() {
        guard let entity = model["Note"] else { return }
        let note = context.insert(entity)
        note["title"] = title
        note["body"] = "\(title): " + String(repeating: "a long line of text, ", count: 3 * number)
        note["created"] = Date(timeIntervalSinceReferenceDate: 86_400 * Double(number))
        if number > 0 { attach(image(width: 100 * number, height: 50), to: note, version, context) }
      }
      try context.save()
    }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }

  private static func attach(
    _ image: Data, to note: ManagedObject, _ version: Int, _ context: ManagedObjectContext
  ) {
    let model = context.persistentStoreCoordinator.managedObjectModel
    if version < 3 { note[version == 1 ? "picture" : "image"] = image }
    guard version > 2, let entity = model[version == 3 ? "Attachment" : "ImageAttachment"] else { return }
    let attachment = context.insert(entity)
    attachment["image"] = image
    attachment["created"] = note["created"] as Value?
    attachment.setObject(note, for: "note")
    guard version == 4, let size = ImageAttachmentPolicy.size(image) else { return }
    attachment["width"] = size.width
    attachment["height"] = size.height
    attachment["caption"] = (note["body"] as String?).map { String($0.prefix(80)) }
  }

  /// The beginning of a PNG image, which has its size.
  static func image(width: Int, height: Int) -> Data {
    func bytes(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    return Data(signature + bytes(width) + bytes(height))
  }
}
