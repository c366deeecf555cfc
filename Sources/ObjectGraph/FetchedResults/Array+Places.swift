extension Array {
  /// Takes out the elements at these indexes, which rise. The others are moved, not copied.
  /// - Complexity: linear in the number of elements, with no reference counted but those of what goes.
  mutating func removeElements(at indexes: [Int]) {
    guard let first = indexes.first else { return }
    unsafe withUnsafeMutableBufferPointer { all in
      guard let base = all.baseAddress else { return }
      unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: indexes.count) { gone in
        guard let goneBase = gone.baseAddress else { return }
        // Safety: each element is moved once: those that go to `gone` and from there to the end, the others towards the
        // beginning, to places that were moved from. All places are initialized again at the end.
        var end = first
        for (position, index) in indexes.enumerated() {
          unsafe (goneBase + position).moveInitialize(from: base + index, count: 1)
          let next = position + 1 < indexes.count ? indexes[position + 1] : all.count
          unsafe (base + end).moveInitialize(from: base + index + 1, count: next - index - 1)
          end += next - index - 1
        }
        unsafe (base + end).moveInitialize(from: goneBase, count: indexes.count)
      }
    }
    removeLast(indexes.count)
  }

  /// Puts each element before the one that is at its place now; places rise, equal ones keep their order. The elements
  /// that were there are moved, not copied.
  /// - Complexity: linear in the number of elements, with no reference counted but those of what comes.
  mutating func insert(_ elements: [(place: Int, element: Element)]) {
    if elements.isEmpty { return }
    let oldCount = count
    for (_, element) in elements { append(element) }
    unsafe withUnsafeMutableBufferPointer { all in
      guard let base = all.baseAddress else { return }
      unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: elements.count) { come in
        guard let comeBase = come.baseAddress else { return }
        // Safety: each element is moved once: the new ones from the end to `come` and from there to their places, the
        // others towards the end, to places that were moved from. All places are initialized again at the end.
        unsafe comeBase.moveInitialize(from: base + oldCount, count: elements.count)
        var end = oldCount
        for position in elements.indices.reversed() {
          let place = elements[position].place
          unsafe (base + place + position + 1).moveInitialize(from: base + place, count: end - place)
          unsafe (base + place + position).moveInitialize(from: comeBase + position, count: 1)
          end = place
        }
      }
    }
  }
}
