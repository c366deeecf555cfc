import ObjectModel

extension ObjectID {
  /// A number that differs among the objects of an entity in a store, and mostly among temporary ids.
  fileprivate var number: UInt64 { high ^ low }
  /// A number that ascends among the ids of a space in the order in which a store, or a context, gives them.
  fileprivate var ordinal: UInt64 { space.isTemporary ? low : high }
}

/// The objects of a context by their ids, none of which it keeps alive for long.
///
/// An open hash table. Most objects of a large fetch are used once and dropped, and a weak reference costs as much as
/// the object itself, and makes every later reference slower; so the table may hold new objects strongly at first,
/// until `releaseUnused` lets those go that nothing else holds and refers to the others weakly. Where many are held,
/// `releaseUnusedOfMany` lets go of unused ones before that. `find` never returns an object that only the table holds.
/// Objects that are gone leave their slots taken until the table grows.
///
/// The rows of a fetch mostly come in the order of their keys, and new objects in that of their temporary ids. Objects
/// that the table may hold and whose ids ascend wait in a list, without a slot: nothing else asks for most of them, for
/// greater ids it need not be searched, and a save that gives all of them permanent ids leaves them where they are.
///
/// `numbers`, `marks` and `objects` have `capacity` places, a power of two of which `reserve` keeps a third free: so an
/// index behind `& (capacity - 1)` is in bounds and every search ends at an empty mark. A place of `objects` is
/// initialized exactly where its mark is not empty, with what the mark says: a strong reference or a weak one. Only the
/// context's queue comes here. It is one long file because slots, the list and the counts are private to each other:
/// divided, any file of the module could break what the unsafe code relies on.
@safe final class ObjectTable {
  private struct WeakObject {
    weak var object: ManagedObject?
  }

  /// What a slot holds, and for objects, `Entity.index` in the lower bits.
  private enum Mark {
    /// The slot was never used.
    static let empty: Int32 = -1
    /// The slot holds a strong reference; otherwise a weak one.
    static let strong: Int32 = 1 << 30
  }

  private var capacity = 0
  /// Slots that hold an object or held one.
  private var usedCount = 0
  /// Slots with strong references, some of which may have changed since.
  private var strongSlots: [Int32] = []
  /// How many objects may be held before unused ones are let go.
  private var greatestHeldCount = ObjectTable.fewHeld
  private static let fewHeld = 4_096
  /// Objects of one space with ascending ids that have no slot yet.
  private var unslotted: [ManagedObject] {
    _read { yield unsafe uncheckedUnslotted }
    _modify { yield unsafe &uncheckedUnslotted }
  }
  // Safety: only the context's queue comes here, and nothing that is done to the list lets an object go, which could
  // come back. A check at run time costs as much as the look.
  @exclusivity(unchecked) private var uncheckedUnslotted: [ManagedObject] = []
  private var unslottedSpace: ObjectID.Space?
  private var lastUnslotted: UInt64 = 0
  /// Whether all objects are kept alive for as long as the table has them. A check of this alone costs next to nothing.
  private var keepsAll = false
  /// Those objects; none while `keepsAll` is false.
  private var kept: [ObjectIdentifier: ManagedObject] = [:]
  /// Objects that only the table held. They are released when no loop over the slots is under way, because their
  /// deinitializers may call the table.
  private var released: [ManagedObject] = []
  private var numbers: UnsafeMutablePointer<UInt64>
  private var marks: UnsafeMutablePointer<Int32>
  /// A strong or a weak reference for each slot.
  private var objects: UnsafeMutablePointer<WeakObject>

  init() {
    unsafe numbers = .allocate(capacity: 0)
    unsafe marks = .allocate(capacity: 0)
    unsafe objects = .allocate(capacity: 0)
  }

  deinit { release() }

  private func release() {
    for slot in 0..<capacity where unsafe marks[slot] != Mark.empty {
      if isStrong(slot) {
        unsafe strongReference(slot).deinitialize(count: 1)
      } else {
        unsafe (objects + slot).deinitialize(count: 1)
      }
    }
    unsafe numbers.deallocate()
    unsafe marks.deallocate()
    unsafe objects.deallocate()
  }

  // MARK: - Slots

  @inline(__always) private func isStrong(_ slot: Int) -> Bool {
    let mark = unsafe marks[slot]
    return mark >= 0 && mark & Mark.strong != 0
  }

  /// Both kinds of references take one word. For slots whose mark is strong, and for empty ones whose mark the caller
  /// sets to that.
  @unsafe private func strongReference(_ slot: Int) -> UnsafeMutablePointer<ManagedObject> {
    unsafe UnsafeMutableRawPointer(objects + slot).assumingMemoryBound(to: ManagedObject.self)
  }

  /// The object of a used slot; nil when it is gone, which it also is when only the table holds it.
  private func object(_ slot: Int) -> ManagedObject? {
    guard isStrong(slot) else { return unsafe objects[slot].object }
    if isUnused(slot) {
      makeWeak(slot)
      return nil
    }
    return unsafe strongReference(slot).pointee
  }

  /// Turns a strong reference into a weak one, to nothing when nothing else holds the object.
  private func makeWeak(_ slot: Int) {
    let isUnused = isUnused(slot)
    // Safety: what `move` leaves behind is no reference any more; nothing runs before the weak one is there.
    let object = unsafe strongReference(slot).move()
    unsafe marks[slot] &= ~Mark.strong
    unsafe (objects + slot).initialize(to: WeakObject(object: isUnused ? nil : object))
    if isUnused { released.append(object) }
  }

  @inline(__always) private func slot(_ number: UInt64, _ entity: Int32) -> Int {
    let mixed = (number &+ UInt64(truncatingIfNeeded: entity) &* 0xD6E8_FEB8_6659_FD93) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 32) & (capacity - 1)
  }

  /// The slot of that id, when its object is there.
  @inline(__always) private func find(slotOf id: ObjectID) -> (slot: Int, object: ManagedObject)? {
    if !unslotted.isEmpty && !isBeyondUnslotted(id) { giveSlots() }
    return usedCount == 0 ? nil : findInSlots(id)
  }

  /// As `find(slotOf:)`, where some slot is used and objects without one are left out.
  private func findInSlots(_ id: ObjectID) -> (slot: Int, object: ManagedObject)? {
    let number = id.number
    let entity = Int32(truncatingIfNeeded: id.space.entityIndex)
    var slot = slot(number, entity)
    while true {
      let mark = unsafe marks[slot]
      if mark == Mark.empty { return nil }
      if mark & ~Mark.strong == entity, unsafe numbers[slot] == number, let object = object(slot),
        object.objectID == id
      {
        return (slot, object)
      }
      slot = (slot + 1) & (capacity - 1)
    }
  }

  // MARK: - Objects

  /// The object of that id.
  func find(_ id: ObjectID) -> ManagedObject? { find(slotOf: id)?.object }

  /// Adds an object; another with the same id gives way.
  func insert(_ object: ManagedObject) {
    if let (slot, other) = find(slotOf: object.objectID) {
      empty(slot)
      if keepsAll {
        kept[ObjectIdentifier(other)] = nil
        keep(object)
      }
      return unsafe objects[slot].object = object
    }
    insertNew(object, object.objectID, isStrong: false)
  }

  /// Adds an object whose id has no object in the table.
  /// - Parameters:
  ///   - id: the object's own.
  ///   - isStrong: whether the table may hold the object until `releaseUnused`, which must be called then.
  func insertNew(_ object: ManagedObject, _ id: ObjectID, isStrong: Bool) {
    if isStrong {
      if !unslotted.isEmpty && !isBeyondUnslotted(id) { giveSlots() }
      append(object, id.ordinal, of: id.space)
    } else {
      if keepsAll { keep(object) }
      insertIntoSlot(object, id, isStrong: isStrong)
    }
  }

  /// Whether the table has no object of the space with that ordinal or a greater one, and takes one to `append`.
  @inline(__always) func isBeyondAll(_ ordinal: UInt64, of space: ObjectID.Space) -> Bool {
    usedCount == 0 && (unslotted.isEmpty || ordinal > lastUnslotted && space === unslottedSpace)
  }

  /// Adds an object without a slot, which the table may hold until `releaseUnused`. It must come behind the others that
  /// have none, and have no slot.
  @inline(__always) func append(_ object: ManagedObject, _ ordinal: UInt64, of space: ObjectID.Space) {
    if keepsAll { keep(object) }
    if unslotted.isEmpty { unslottedSpace = space }
    lastUnslotted = ordinal
    unslotted.append(object)
  }

  @inline(__always) private func isBeyondUnslotted(_ id: ObjectID) -> Bool {
    id.ordinal > lastUnslotted && id.space === unslottedSpace
  }

  /// To be called before a look-up of an object that may be among the ones without a slot.
  private func giveSlots() {
    releaseUnusedWithoutSlot()
    reserve(unslotted.count)
    for object in unslotted { insertIntoSlot(object, object.objectID, isStrong: true) }
    // The capacity is kept, because objects of two entities may alternate.
    unslotted.removeAll(keepingCapacity: unslotted.count <= Self.fewHeld)
  }

  /// Lets go of the objects without a slot that nothing else holds; the others stay in order.
  private func releaseUnusedWithoutSlot() {
    var objects = unslotted
    unslotted = []
    var count = 0
    unsafe objects.withUnsafeMutableBufferPointer { objects in
      for index in objects.indices where unsafe !isKnownUniquelyReferenced(&objects[index]) {
        unsafe objects.swapAt(count, index)
        count += 1
      }
    }
    // The longer part stays in place, so that few reference counts change.
    if count < objects.count / 2 {
      unslotted = Array(objects[..<count])
      objects.removeFirst(count)
      if released.isEmpty { released = objects } else { released += objects }
    } else {
      released += objects[count...]
      objects.removeLast(objects.count - count)
      unslotted = objects
    }
  }

  private func insertIntoSlot(_ object: ManagedObject, _ id: ObjectID, isStrong: Bool) {
    reserve(1)
    let entity = Int32(truncatingIfNeeded: id.space.entityIndex)
    var slot = slot(id.number, entity)
    while unsafe marks[slot] != Mark.empty { slot = (slot + 1) & (capacity - 1) }
    unsafe numbers[slot] = id.number
    usedCount += 1
    if isStrong {
      unsafe marks[slot] = entity | Mark.strong
      unsafe strongReference(slot).initialize(to: object)
      strongSlots.append(Int32(truncatingIfNeeded: slot))
    } else {
      unsafe marks[slot] = entity
      unsafe (objects + slot).initialize(to: WeakObject(object: object))
    }
  }

  /// Adds a new object, which the table may hold until `releaseUnused`.
  func insertHolding(_ object: ManagedObject, _ id: ObjectID) {
    releaseUnusedOfMany()
    insertNew(object, id, isStrong: true)
  }

  /// Takes the object of that id out.
  func remove(_ id: ObjectID) {
    guard let (slot, object) = find(slotOf: id) else { return }
    empty(slot)
    if keepsAll { kept[ObjectIdentifier(object)] = nil }
  }

  /// - Returns: whether the reference was strong.
  @discardableResult private func empty(_ slot: Int) -> Bool {
    guard isStrong(slot) else {
      unsafe objects[slot].object = nil
      return false
    }
    let object = unsafe strongReference(slot).move()
    unsafe marks[slot] &= ~Mark.strong
    unsafe (objects + slot).initialize(to: WeakObject(object: nil))
    withExtendedLifetime(object) {}
    return true
  }

  /// Gives an object another id, and its place by that; another object with the same id gives way.
  func move(_ object: ManagedObject, to id: ObjectID) {
    let isStrong = find(slotOf: object.objectID).map { empty($0.slot) } ?? false
    if let (slot, other) = find(slotOf: id) {
      empty(slot)
      if keepsAll { kept[ObjectIdentifier(other)] = nil }
    }
    object.adopt(id)
    insertIntoSlot(object, id, isStrong: isStrong)
  }

  /// Gives new objects other ids, as `move` does for one.
  /// - Parameters:
  ///   - objects: in the order of insertion.
  ///   - ids: of each object, ascending and of one space where they are many.
  func move(_ objects: [ManagedObject], to ids: [ObjectID]) {
    guard let first = ids.first, let last = ids.last, areUnslotted(objects), areFree(ids, in: first.space) else {
      for (object, id) in zip(objects, ids) where object.objectID != id { move(object, to: id) }
      return
    }
    for index in objects.indices { objects[index].adopt(ids[index]) }
    unslottedSpace = first.space
    lastUnslotted = last.ordinal
  }

  /// Whether these are the objects without a slot.
  private func areUnslotted(_ objects: [ManagedObject]) -> Bool {
    unslotted.count == objects.count && unslotted.indices.allSatisfy { unslotted[$0] === objects[$0] }
  }

  /// Whether the ids ascend, are all of one space, and no slot has an object of one.
  private func areFree(_ ids: [ObjectID], in space: ObjectID.Space) -> Bool {
    var last: UInt64?
    for index in ids.indices {
      let ordinal = ids[index].ordinal
      guard ids[index].space === space, last.map({ ordinal > $0 }) ?? true,
        usedCount == 0 || findInSlots(ids[index]) == nil
      else { return false }
      last = ordinal
    }
    return true
  }

  func removeAll() {
    // Released like the others, since their deinitializers may call the table.
    released += kept.values
    kept = [:]
    released += unslotted
    unslotted = []
    for slot in strongSlots where isStrong(Int(slot)) { makeWeak(Int(slot)) }
    strongSlots = []
    release()
    capacity = 0
    usedCount = 0
    unsafe numbers = .allocate(capacity: 0)
    unsafe marks = .allocate(capacity: 0)
    unsafe objects = .allocate(capacity: 0)
    releaseUnused()
  }

  /// Lets go of the objects that nothing else holds.
  func releaseUnused() {
    var objects = unslotted
    unslotted = []
    for index in objects.indices where !isKnownUniquelyReferenced(&objects[index]) {
      insertIntoSlot(objects[index], objects[index].objectID, isStrong: false)
    }
    for slot in strongSlots where isStrong(Int(slot)) { makeWeak(Int(slot)) }
    strongSlots.removeAll(keepingCapacity: strongSlots.count <= Self.fewHeld)
    greatestHeldCount = Self.fewHeld
    let released = self.released
    self.released = []
    withExtendedLifetime((released, objects)) {}
  }

  /// Lets go of the objects that nothing else holds, where so many are held that it matters; holds the others.
  /// - Complexity: constant for each object that was added since the last time.
  func releaseUnusedOfMany() {
    if strongSlots.count + unslotted.count <= greatestHeldCount { return }
    releaseUnusedWithoutSlot()
    strongSlots.removeAll { slot in
      let slot = Int(slot)
      if isStrong(slot) && !isUnused(slot) { return false }
      if isStrong(slot) { makeWeak(slot) }
      return true
    }
    greatestHeldCount = max(Self.fewHeld, (strongSlots.count + unslotted.count) * 2)
    let released = self.released
    self.released = []
    withExtendedLifetime(released) {}
  }

  /// Whether only the table holds the object of a strong slot.
  private func isUnused(_ slot: Int) -> Bool { unsafe isKnownUniquelyReferenced(&strongReference(slot).pointee) }

  /// Makes room for so many objects with ascending keys.
  func expect(_ count: Int) { unslotted.reserveCapacity(count) }

  /// Whether all objects are kept alive, those that are there and those that come.
  var isRetaining: Bool {
    get { keepsAll }
    set {
      if newValue == keepsAll { return }
      keepsAll = newValue
      let old = kept
      kept = [:]
      if newValue { for object in all { keep(object) } }
      withExtendedLifetime(old) {}
    }
  }

  private func keep(_ object: ManagedObject) { kept[ObjectIdentifier(object)] = object }

  /// The objects that are there, in no particular order.
  var all: [ManagedObject] {
    releaseUnusedWithoutSlot()
    var found = unslotted
    for slot in 0..<capacity where unsafe marks[slot] != Mark.empty {
      if let object = object(slot) { found.append(object) }
    }
    return found
  }

  /// Makes room for so many more objects; those that are gone make room first.
  func reserve(_ count: Int) {
    if (usedCount + count) * 3 <= capacity * 2 { return }
    var liveCount = 0
    for slot in 0..<capacity where unsafe marks[slot] != Mark.empty {
      if unsafe isStrong(slot) || objects[slot].object != nil { liveCount += 1 }
    }
    var size = 1024
    while size < (liveCount + count) * 2 { size *= 2 }
    let (oldCapacity, oldNumbers, oldMarks, oldObjects) = unsafe (capacity, numbers, marks, objects)
    capacity = size
    usedCount = 0
    unsafe numbers = .allocate(capacity: size)
    unsafe marks = .allocate(capacity: size)
    unsafe marks.initialize(repeating: Mark.empty, count: size)
    unsafe objects = .allocate(capacity: size)
    strongSlots.removeAll(keepingCapacity: true)
    for old in 0..<oldCapacity where unsafe oldMarks[old] != Mark.empty {
      let isStrong = unsafe oldMarks[old] & Mark.strong != 0
      guard unsafe isStrong || oldObjects[old].object != nil else {
        unsafe (oldObjects + old).deinitialize(count: 1)
        continue
      }
      var slot = unsafe slot(oldNumbers[old], oldMarks[old] & ~Mark.strong)
      while unsafe marks[slot] != Mark.empty { slot = (slot + 1) & (size - 1) }
      unsafe numbers[slot] = oldNumbers[old]
      unsafe marks[slot] = oldMarks[old]
      // Safety: each reference is moved out of its old place, or deinitialized above, so the old memory holds none when
      // it goes.
      if isStrong {
        unsafe strongReference(slot).initialize(
          to: UnsafeMutableRawPointer(oldObjects + old).assumingMemoryBound(to: ManagedObject.self).move())
        strongSlots.append(Int32(truncatingIfNeeded: slot))
      } else {
        unsafe (objects + slot).moveInitialize(from: oldObjects + old, count: 1)
      }
      usedCount += 1
    }
    unsafe oldNumbers.deallocate()
    unsafe oldMarks.deallocate()
    unsafe oldObjects.deallocate()
  }
}
