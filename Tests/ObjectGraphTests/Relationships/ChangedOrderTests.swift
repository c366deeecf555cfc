import ObjectGraph
import ObjectModel
import Testing

/// An order that members changed at their own side, by leaving a list and coming back to its end.
@Suite("Orders that members change")
struct ChangedOrderTests {
  /// A song leaves the list and comes back.
  private static func moveToEnd(_ song: ManagedObject, of list: ManagedObject, _ relationship: String) throws {
    if relationship == "picks" {
      song.setObject(nil, for: "owner")
      song.setObject(list, for: "owner")
    } else {
      try song.remove(list, from: "lists")
      try song.add(list, to: "lists")
    }
  }

  @Test(
    "another order of the same members is a change of the owner", arguments: StoreKind.allCases,
    MemberOrderTests.relationships)
  func order(kind: StoreKind, relationship: String) throws {
    let lists = try Playlists(kind, relationship, ["1", "2", "3"])
    try lists.work { context in
      context.undoManager = ContextUndoManager()
      let list = try lists.playlist(context)
      let songs = try list.objects(for: relationship)
      try Self.moveToEnd(songs[2], of: list, relationship)
      context.processPendingChanges()
      #expect(!context.hasChanges && list.changedRelationships.isEmpty)
      try Self.moveToEnd(songs[0], of: list, relationship)
      for isProcessed in [false, true] {
        if isProcessed { context.processPendingChanges() }
        #expect(context.hasChanges && context.updatedObjects == [list])
        #expect(list.isUpdated && list.hasPersistentChangedValues && list.changedRelationships == [relationship])
        let order = [songs[1], songs[2], songs[0]].map(\.objectID)
        #expect(list.changedPropertyValues() == [relationship: .toMany(order)])
      }
      context.undo()
      #expect(!context.hasChanges && !list.isUpdated && list.changedPropertyValues().isEmpty)
      context.redo()
      if context.hasChanges { try context.save() }
      #expect(!context.hasChanges)
    }
    #expect(try lists.stored(relationship) == ["2", "3", "1"])
  }
}
