import ObjectModel
import StoreInterface

extension PendingReferences {
  /// Completes the references whose destinations have become known.
  ///
  /// A record is blocked when one of its references leads nowhere, or to a row of a blocked record; everything else
  /// is written. That is the largest set of records that can stand together, cycles included.
  /// - Parameters:
  ///   - steps: all that have begun, by number.
  ///   - isFinal: blocked records are rejected and their rows deleted instead of waiting on.
  ///   - applier: writes the references.
  func resolve(
    steps: [any ReferringStep], isFinal: Bool, with applier: ReferenceApplier, cancellation: Cancellation
  ) throws {
    let places = ReferencePlaces(steps, tables)
    let blocked = try isFinal ? rowsThatFall(places) : rowsThatWait(places)
    let waitingLists = isFinal ? [] : try waitingLists(places, blocked)
    let left = nextPending()
    var applier = applier
    var refused = RefusedRecords()
    var late: (any Error)?
    try target.inTransaction {
      try pending.forEach { reference throws(RunError) in
        try cancellation.check()
        do {
          let isBlocked = blocked.contains(rootReference(reference.row))
          if isBlocked, isFinal {
            try refuse(reference, steps, places, blocked, { _, _ in false }, &refused)
          } else if isBlocked || !waitingLists.isEmpty && waitingLists.contains(ListID(reference)) {
            try left.append(reference)
          } else if let place = places[reference], !isOverruled(reference, place.plan),
            try !complete(reference, place, steps, blocked, isFinal: isFinal, with: &applier)
          {
            try left.append(reference)
          }
        } catch let error as RunError {
          throw error
        } catch {
          late = error
        }
      }
      if let late { throw Self.described(late, steps) }
      do { try applier.flush() } catch { throw Self.described(error, steps) }
      try delete(refused.rows)
    }
    replacePending(with: left, provisional: isFinal ? RootRows() : blocked)
  }

  /// Writes a reference of a record that is not blocked, or leaves it out where it leads nowhere and that is allowed.
  /// - Returns: false where it waits on.
  private func complete(
    _ reference: PendingReference, _ place: ReferencePlaces.Place, _ steps: [any ReferringStep],
    _ blocked: RootRows, isFinal: Bool, with applier: inout ReferenceApplier
  ) throws -> Bool {
    if let destination = place.destination(of: reference), isFinal || !place.plan.waitsForAll,
      !blocked.contains(rootReference(destination))
    {
      try applier.apply(reference, place.plan, destination: destination)
      return true
    }
    if !isFinal { return false }
    if place.plan.isDemanded { throw steps[reference.step].danglingReference(reference) }
    steps[reference.step].noteLeftOut(place.plan, of: place.node)
    return true
  }

  /// An error with the record that it is about, where that is known.
  private static func described(_ error: any Error, _ steps: [any ReferringStep]) -> any Error {
    (error as? LateReferenceError).map { steps[$0.reference.step].lateFailure($0) } ?? error
  }

  /// Rejects the records that cannot stand even with all objects that are to come; the other references wait on.
  /// - Parameters:
  ///   - steps: all that have begun, by number.
  ///   - isToCome: whether a record that is held back brings the object with a key.
  /// - Returns: whether there were any.
  func rejectBlocked(
    _ steps: [any ReferringStep], isToCome: (KeyTable, [UInt8]) -> Bool, cancellation: Cancellation
  ) throws -> Bool {
    let places = ReferencePlaces(steps, tables)
    let blocked = try rowsThatFall(places, isToCome: isToCome)
    if blocked.isEmpty { return false }
    let left = nextPending()
    var refused = RefusedRecords()
    var late: (any Error)?
    try target.inTransaction {
      try pending.forEach { reference throws(RunError) in
        try cancellation.check()
        if !blocked.contains(rootReference(reference.row)) { return try left.append(reference) }
        do { try refuse(reference, steps, places, blocked, isToCome, &refused) } catch { late = error }
      }
      if let late { throw late }
      try delete(refused.rows)
    }
    replacePending(with: left, provisional: provisionalRows.subtracting(blocked))
    return true
  }

  /// The records that fall with their references.
  private struct RefusedRecords {
    var seen: Set<UInt64> = []
    /// The rows that they brought.
    var rows: [RowReference] = []
  }

  /// Rejects the record of a reference that leads nowhere, once.
  private func refuse(
    _ reference: PendingReference, _ steps: [any ReferringStep], _ places: ReferencePlaces, _ blocked: RootRows,
    _ isToCome: (KeyTable, [UInt8]) -> Bool, _ refused: inout RefusedRecords
  ) throws {
    guard let place = places[reference], place.plan.mustResolve, !leads(reference, place, blocked),
      place.table.map({ !isToCome($0, reference.key) }) ?? true,
      let record = reference.recordRows.first, refused.seen.insert(rootReference(record)).inserted
    else { return }
    let obstacle = place.obstacle(to: reference)
    if let need = need(ofAny: reference.recordRows) {
      let key = unsafe reference.key.withUnsafeBytes { unsafe place.plan.shownKey($0) }
      throw RunError(
        .badData, code: obstacle.code,
        "\(steps[reference.step].place(of: reference)): \"\(key)\" \(obstacle.text) "
          + "(\(place.node.entity.name).\(place.plan.property)), and "
          + (need.recordRows == reference.recordRows
            ? "the record has changed stored objects already"
            : "the record at \(steps[need.step].place(of: need)) was written with an object of this one"),
        hint: "mend or leave out the first record: what was written for records that need each other stays")
    }
    refused.rows += reference.recordRows
    try steps[reference.step].rejectLate(reference, for: obstacle)
  }

  /// The list of one row.
  private struct ListID: Hashable {
    var row: UInt64
    var node: Int
    var reference: Int
    var step: Int

    init(_ reference: PendingReference) {
      row = reference.row.rawValue
      node = reference.node
      self.reference = reference.reference
      step = reference.step
    }
  }

  /// The ordered lists that wait as a whole, because a member is not there yet: setting what is there would lose the
  /// order, or what was set before.
  private func waitingLists(_ places: ReferencePlaces, _ blocked: RootRows) throws(RunError) -> Set<ListID> {
    var lists: Set<ListID> = []
    try pending.forEach { reference throws(RunError) in
      guard let place = places[reference], place.plan.givesWholeOrder, !leads(reference, place, blocked),
        !isOverruled(reference, place.plan)
      else { return }
      lists.insert(ListID(reference))
    }
    return lists
  }

  /// Whether the reference has a destination that stays.
  private func leads(_ reference: PendingReference, _ place: ReferencePlaces.Place, _ blocked: RootRows) -> Bool {
    place.destination(of: reference).map { !blocked.contains(rootReference($0)) } ?? false
  }

  /// The rows of all records that are blocked now. Of two that claim one object the second waits for the first.
  private func rowsThatWait(_ places: ReferencePlaces) throws -> RootRows {
    if places.hasExclusive {
      _ = try noteBeatenRows(places, try storedOwners(places), mayOwn: { _ in true }, keeps: { _ in true })
    }
    return try rowsWithoutDestination(places)
  }

  /// The rows of all records that are blocked for good. Of two that claim one object the first that stands has it.
  /// - Parameter isToCome: whether an object with a key will be there, which no row has yet: a record that needs it
  ///   counts as one that stands.
  func rowsThatFall(
    _ places: ReferencePlaces, isToCome: (KeyTable, [UInt8]) -> Bool = { _, _ in false }
  ) throws -> RootRows {
    if !places.hasExclusive { return try rowsWithoutDestination(places, isToCome: isToCome) }
    let owners = try storedOwners(places)
    // What falls whichever claims count. It only grows.
    var fallen = RootRows()
    while true {
      // Shrinks: a claim that falls gives its object to the next one.
      let areBeaten = try noteBeatenRows(
        places, owners, mayOwn: { !fallen.contains($0) }, keeps: { _ in true })
      let blocked = try rowsWithoutDestination(places, isToCome: isToCome)
      if !areBeaten { return blocked }
      _ = try noteBeatenRows(places, owners, mayOwn: { !fallen.contains($0) }, keeps: { !blocked.contains($0) })
      let certain = try rowsWithoutDestination(places, isToCome: isToCome)
      if certain == blocked { return blocked }
      if certain == fallen {
        // The claims depend on each other in a circle, so the earliest one counts.
        _ = try noteBeatenRows(places, owners, mayOwn: { !fallen.contains($0) }, keeps: { _ in true })
        return blocked
      }
      fallen = certain
    }
  }

  private func storedOwners(_ places: ReferencePlaces) throws -> [ReferencePlaces.Partner: UInt64] {
    try places.storedOwners(in: pending, of: target, rootReference: rootReference)
  }

  private func noteBeatenRows(
    _ places: ReferencePlaces, _ owners: [ReferencePlaces.Partner: UInt64], mayOwn: (UInt64) -> Bool,
    keeps: (UInt64) -> Bool
  ) throws(RunError) -> Bool {
    try places.noteBeatenRows(
      in: pending, owners: owners, rootReference: rootReference, mayOwn: mayOwn, keeps: keeps)
  }

  /// The rows of all records that need what is not there, or such a row. Linear in the number of pending references,
  /// however long their chains are.
  /// - Parameter isToCome: whether an object with a key will be there, which no row has yet.
  private func rowsWithoutDestination(
    _ places: ReferencePlaces, isToCome: (KeyTable, [UInt8]) -> Bool = { _, _ in false }
  ) throws(RunError) -> RootRows {
    var blocked = RootRows()
    var next: [UInt64] = []
    // A row is blocked with the row that it depends on: its record's destination, or the first row of its own record.
    var dependencies: [(on: UInt64, row: UInt64)] = []
    // All references of a record have the same rows.
    var lastRows: [RowReference] = []
    try pending.forEach { reference throws(RunError) in
      guard let place = places[reference], place.plan.mustResolve,
        let record = reference.recordRows.first.map(rootReference)
      else { return }
      if let table = place.table, isToCome(table, reference.key) {
        // It stands even where the row that has the key now falls.
      } else if let destination = place.destination(of: reference) {
        if isProvisional(destination) { dependencies.append((rootReference(destination), record)) }
      } else if blocked.insert(record) {
        next.append(record)
      }
      guard reference.recordRows != lastRows else { return }
      lastRows = reference.recordRows
      for row in lastRows.dropFirst() { dependencies.append((record, rootReference(row))) }
    }
    dependencies.sort { $0.on < $1.on }
    while let fallen = next.popLast() {
      var low = 0
      var high = dependencies.count
      while low < high {
        let middle = (low + high) / 2
        if dependencies[middle].on < fallen { low = middle + 1 } else { high = middle }
      }
      while low < dependencies.count, dependencies[low].on == fallen {
        if blocked.insert(dependencies[low].row) { next.append(dependencies[low].row) }
        low += 1
      }
    }
    return blocked
  }

  /// Deletes the rows of rejected records.
  private func delete(_ rows: [RowReference]) throws {
    if rows.isEmpty { return }
    let entities = target.model.entities
    // In a fixed order, so that the same input gives the same bytes.
    let groups = Dictionary(grouping: rows, by: \.entityIndex).sorted { $0.key < $1.key }
    for (entityIndex, group) in groups {
      _ = try target.delete(entity: entities[entityIndex], primaryKeys: group.map(\.primaryKey).sorted())
    }
    try tables.forget(rows, reloadingFrom: target)
  }
}
