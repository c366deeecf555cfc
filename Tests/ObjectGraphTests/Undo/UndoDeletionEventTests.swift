import ObjectGraph
import ObjectModel
import StoreInterface
import Testing

@Suite("Undo of deletions and of links that changed in the same event")
struct UndoDeletionEventTests {
  struct Scene: Sendable, CustomTestStringConvertible {
    let kind: StoreKind
    let deletesLabel: Bool
    let loadsList: Bool
    var testDescription: String {
      "\(kind), deletes the \(deletesLabel ? "label" : "crate")\(loadsList ? ", loads the list" : "")"
    }
    static let all = StoreKind.allCases.flatMap { kind in
      [true, false].flatMap { deletesLabel in
        [true, false].map { Scene(kind: kind, deletesLabel: deletesLabel, loadsList: $0) }
      }
    }
  }

  /// Undoes an event that links or unlinks crate 1 and label 2 and deletes one of them.
  private func undo(_ scene: Scene, wereLinked: Bool, setAt list: String) throws -> [Int] {
    let crates = try Crates(scene.kind)
    try crates.inContext { context in
      let (crate, label) = (crates.add(crates.crate, 1, context), crates.add(crates.label, 2, context))
      if wereLinked { try crate.add(label, to: "labels") }
      try context.save()
      context.refreshAllObjects()
      context.undoManager = ContextUndoManager()
      let isCrate = list == "labels"
      let (near, far) = isCrate ? (crate, label) : (label, crate)
      if wereLinked { try near.remove(far, from: list) } else { try near.add(far, to: list) }
      if scene.loadsList { _ = try far.objects(for: isCrate ? "crates" : "labels") }
      context.delete(scene.deletesLabel ? label : crate)
      context.processPendingChanges()
      context.undo()
      #expect(!crate.isDeleted && !label.isDeleted)
      let (labels, labelled) = (try crates.numbers("labels", of: crate), try crates.numbers("crates", of: label))
      #expect(labels == (wereLinked ? [2] : []) && labelled == (wereLinked ? [1] : []))
      try context.save()
    }
    return try crates.stored("labels", of: 1)
  }

  @Test(
    "brings back a link that was taken away before one end was deleted", arguments: Scene.all, ["labels", "crates"])
  func unlinked(scene: Scene, list: String) throws {
    #expect(try undo(scene, wereLinked: true, setAt: list) == [2])
  }

  @Test("leaves no link that was made before one end was deleted", arguments: Scene.all, ["labels", "crates"])
  func linked(scene: Scene, list: String) throws {
    #expect(try undo(scene, wereLinked: false, setAt: list) == [])
  }

  @Test("keeps links of earlier events that are not saved", arguments: StoreKind.allCases)
  func earlierEvent(kind: StoreKind) throws {
    let crates = try Crates(kind)
    try crates.inContext { context in
      let labels = [2, 3].map { crates.add(crates.label, $0, context) }
      let crate = crates.add(crates.crate, 1, context)
      try context.save()
      context.refreshAllObjects()
      context.undoManager = ContextUndoManager()
      for label in labels {
        try label.add(crate, to: "crates")
        context.processPendingChanges()
      }
      try labels[1].remove(crate, from: "crates")
      context.delete(crate)
      context.processPendingChanges()
      context.undo()
      #expect(try crates.numbers("labels", of: crate) == [2, 3])
    }
  }

  @Test(
    "gives an object whose deletion was saved its place in lists that nothing had loaded", arguments: StoreKind.allCases
  )
  func place(kind: StoreKind) throws {
    for list in ["contents", "labels"] {
      let crates = try Crates(kind)
      try crates.inContext { context in
        let owner = crates.add(crates.crate, 1, context)
        let members = [5, 6, 7].map { crates.add(list == "labels" ? crates.label : crates.crate, $0, context) }
        try owner.setObjects(members, for: list)
        try context.save()
        context.refreshAllObjects()
        context.undoManager = ContextUndoManager()
        context.delete(members[0])
        try context.save()
        context.undo()
        #expect(try crates.numbers(list, of: owner) == [5, 6, 7])
        try context.save()
      }
      #expect(try crates.stored(list, of: 1) == [5, 6, 7])
    }
  }
}
