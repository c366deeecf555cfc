import SeedFormats

/// The facts about JSON objects in one place: their keys in the order of their first occurrence.
final class ObjectProfile {
  /// The values of one key.
  final class Member {
    let name: String
    let scalars: ColumnProfile
    fileprivate(set) var objects: ObjectProfile?
    fileprivate(set) var objectCount = 0
    /// The objects in arrays.
    fileprivate(set) var elements: ObjectProfile?
    fileprivate(set) var arrayCount = 0
    fileprivate(set) var emptyArrayCount = 0
    /// Arrays that hold something else than objects.
    fileprivate(set) var otherArrayCount = 0
    /// Those of them that hold numbers, booleans and texts that are not empty.
    fileprivate(set) var valueArrayCount = 0

    /// Whether there are arrays of bare values, and nothing else but single ones.
    var isListOfValues: Bool {
      valueArrayCount > 0 && valueArrayCount + emptyArrayCount == arrayCount && objectCount == 0
        && scalars.emptyTexts == 0
    }

    fileprivate init(name: String, budget: ColumnHashes.Budget) {
      self.name = name
      scalars = ColumnProfile(name: name, budget: budget)
    }
  }

  /// Objects with so many keys are maps from keys to values.
  static let keyLimit = 1000
  static let depthLimit = 12

  private(set) var count = 0
  private(set) var members: [Member] = []
  private var indexes: [String: Int] = [:]
  /// More keys than are kept.
  private(set) var isMap = false
  /// Times that a key stood twice in an object: which of its values would count is not known.
  private(set) var repeatedKeyCount = 0
  private let budget: ColumnHashes.Budget
  private let depth: Int

  init(budget: ColumnHashes.Budget, depth: Int = 0) {
    self.budget = budget
    self.depth = depth
  }

  /// The most records that what is in these objects, at any depth, can have rejected.
  var rejectCount: Int {
    members.reduce(repeatedKeyCount) { count, member in
      count + member.scalars.withNUL + (member.objects?.rejectCount ?? 0) + (member.elements?.rejectCount ?? 0)
    }
  }

  func observe(
    _ object: FieldSlice, in batch: RecordBatch, fields: JSONFields, line: UInt64
  ) throws(SeedFormatError) {
    count += 1
    var slices: [FieldSlice] = []
    try fields.members(of: object, in: batch, into: &slices)
    var seen: Set<Int> = []
    for index in stride(from: 0, to: slices.count, by: 2) {
      let name = batch.text(of: slices[index])
      guard let member = member(name, &seen) else { continue }
      try observe(slices[index + 1], member, in: batch, fields: fields, line: line)
    }
  }

  private func member(_ name: String, _ seen: inout Set<Int>) -> Member? {
    if let index = indexes[name] {
      if !seen.insert(index).inserted { repeatedKeyCount += 1 }
      return members[index]
    }
    guard members.count < Self.keyLimit else {
      isMap = true
      return nil
    }
    let member = Member(name: name, budget: budget)
    indexes[name] = members.count
    seen.insert(members.count)
    members.append(member)
    return member
  }

  private func observe(
    _ value: FieldSlice, _ member: Member, in batch: RecordBatch, fields: JSONFields, line: UInt64
  ) throws(SeedFormatError) {
    switch value.kind {
    case .object:
      member.objectCount += 1
      guard depth < Self.depthLimit else { return }
      let objects = member.objects ?? ObjectProfile(budget: budget, depth: depth + 1)
      member.objects = objects
      try objects.observe(value, in: batch, fields: fields, line: line)
    case .array: try observeArray(value, member, in: batch, fields: fields, line: line)
    default:
      unsafe member.scalars.observe(
        batch.bytes(of: value), value.kind, isQuoted: value.isQuoted, emptyIsNull: false, line: line)
    }
  }

  private static func isValue(_ slice: FieldSlice, in batch: RecordBatch) -> Bool {
    switch slice.kind {
    case .number, .true, .false: true
    case .string: slice.length > 0
    case .absent, .null, .object, .array: false
    }
  }

  private func observeArray(
    _ value: FieldSlice, _ member: Member, in batch: RecordBatch, fields: JSONFields, line: UInt64
  ) throws(SeedFormatError) {
    member.arrayCount += 1
    var slices: [FieldSlice] = []
    try fields.elements(of: value, in: batch, into: &slices)
    if slices.isEmpty { member.emptyArrayCount += 1 }
    guard slices.allSatisfy({ $0.kind == .object }), depth < Self.depthLimit else {
      member.otherArrayCount += 1
      if slices.allSatisfy({ Self.isValue($0, in: batch) }) { member.valueArrayCount += 1 }
      return
    }
    for slice in slices {
      let elements = member.elements ?? ObjectProfile(budget: budget, depth: depth + 1)
      member.elements = elements
      try elements.observe(slice, in: batch, fields: fields, line: line)
    }
  }
}
