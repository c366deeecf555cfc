import CoreDataLayout
import ObjectModel
import Pipelines

/// The state that a run begins with: a new store, or an existing one with rows.
struct RunOrigin {
  /// Whether the run makes a new store.
  let isFresh: Bool
  /// Root entities whose tables have rows, by their index in the model.
  let filled: Set<Int>
  /// Why no row is written as a finished page; nil where rows may be.
  let pageObstacle: String?

  init(_ settings: StoreSettings, _ model: ManagedObjectModel) throws {
    let origin = settings.existingOrigin
    isFresh = origin == nil
    guard let origin else {
      filled = []
      pageObstacle = settings.tracksHistory ? "the store keeps history" : nil
      return
    }
    let known = try StoreInspection.read(path: origin)
    let names = Set(known.entities.filter { $0.count ?? 0 > 0 }.map(\.name))
    filled = Set(model.entities.filter { names.contains($0.name) }.map(\.root.index))
    pageObstacle =
      settings.write == .inPlace
      ? "the store is written to in place" : known.hasHistory ? "the store keeps history" : nil
  }
}
