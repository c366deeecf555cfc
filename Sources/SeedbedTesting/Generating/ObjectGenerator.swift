public import Seedbed

/// Makes objects that meet the rules of a model: for tests that need many, or any.
///
///     var generator = ObjectGenerator(seed: 7)
///     try generator.insert(["Author": 1_000, "Post": 99_000], into: context)
///     try context.save()
///
/// The same seed and calls give the same objects in every run and on every system. Attributes have values of their
/// types within their limits, and values of their own where a uniqueness constraint wants that; optional ones are null
/// now and then, derived and transient ones are left alone. Relationships lead to objects of the same call, both ways
/// and within their counts; where one is required and there is no object for it, one is made. Trees have no circles: a
/// parent is an earlier object. Where a uniqueness constraint holds by a relationship alone, each object leads to
/// another one.
public struct ObjectGenerator {
  /// Makes the value of an attribute for the object of a number, from 1.
  public typealias ValueMaker = @Sendable (_ number: Int) -> Value

  private struct Property: Hashable {
    var entity: String
    var attribute: String
  }

  var random: RepeatableRandom
  private let firstNumber: Int
  /// How many objects were made of each root entity, by its name, and of those that share combinations of flags.
  private var counts: [String: Int] = [:]
  private var makers: [Property: ValueMaker] = [:]

  /// A generator.
  /// - Parameters:
  ///   - seed: another one gives other objects.
  ///   - firstNumber: the number of the first object of each hierarchy of entities. Unique values are made of numbers:
  ///     of several generators for one store, each needs numbers of its own.
  public init(seed: UInt64 = 1, firstNumber: Int = 1) {
    random = RepeatableRandom(seed: seed)
    self.firstNumber = firstNumber
  }

  /// Says how the values of an attribute are made, of objects of this entity and of those that descend from it.
  public mutating func setValues(of entityName: String, _ attributeName: String, _ make: @escaping ValueMaker) {
    makers[Property(entity: entityName, attribute: attributeName)] = make
  }

  /// Inserts objects of one entity, and of those that they cannot be without. They are saved with the context.
  /// - Returns: those of the entity.
  /// - Throws: `GenerationError` where the model's rules cannot be met; what was inserted until then stays in the
  ///   context.
  @discardableResult
  public mutating func insert(
    _ count: Int, of entityName: String, into context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    try insert([entityName: count], into: context)[entityName] ?? []
  }

  /// Inserts objects of several entities, with relationships between them, and of those that they cannot be without.
  /// They are saved with the context.
  /// - Returns: all new objects, by the names of their entities.
  /// - Throws: `GenerationError` where the model's rules cannot be met; what was inserted until then stays in the
  ///   context.
  @discardableResult
  public mutating func insert(
    _ counts: KeyValuePairs<String, Int>, into context: ManagedObjectContext
  ) throws -> [String: [ManagedObject]] {
    let model = context.coordinator.model
    try checkMakers(model)
    var made = GeneratedObjects(model)
    try context.performAndWait {
      for (name, count) in counts {
        guard let entity = model.handles.first(where: { $0.name == name }), !entity.isAbstract, count >= 0 else {
          throw GenerationError(
            name, nil, count < 0 ? "\(count) objects cannot be made" : "there is no such entity that has objects",
            hint: "the model has \(model.handles.filter { !$0.isAbstract }.map(\.name).joined(separator: ", "))")
        }
        try insert(count, entity, context, &made)
      }
      while let lack = try RequiredPartners(made).first() { try insert(lack.count, lack.entity, context, &made) }
      try LinkGenerator(made).link(&random)
    }
    return made.byName
  }

  private func checkMakers(_ model: ManagedObjectModel) throws(GenerationError) {
    for property in makers.keys {
      let entity = model.handles.first { $0.name == property.entity }
      if entity?.attribute(property.attribute) == nil {
        throw GenerationError(
          property.entity, property.attribute, "values are stated, and the model has no such attribute")
      }
    }
  }

  private mutating func insert(
    _ count: Int, _ entity: Entity, _ context: ManagedObjectContext, _ made: inout GeneratedObjects
  ) throws {
    let constrained = UniqueAttributes.paths(of: entity)
    let combinations = FlagCombinations.all(of: entity, unique: constrained)
    var sources: [(index: Int, maker: ValueMaker?, flags: FlagCombinations?, generator: ValueGenerator)] = []
    for (index, attribute) in entity.attributes.enumerated()
    where attribute.derivation == nil && !attribute.isTransient {
      let flags = combinations.first { $0.attributes.contains { $0.name == attribute.name } }
      sources.append(
        (
          index, maker(entity, attribute.name), flags,
          try ValueGenerator(attribute, of: entity.name, path: attribute.name, unique: constrained)
        ))
    }
    let root = entity.root.name
    for _ in 0..<count {
      let number = firstNumber + counts[root, default: 0]
      counts[root, default: 0] += 1
      for combination in combinations { counts[combination.key, default: 0] += 1 }
      let object = context.insert(entity)
      for source in sources {
        let value =
          try source.maker?(number)
          ?? source.flags.map {
            try $0.value(of: source.index, in: entity, firstNumber + counts[$0.key, default: 1] - 1)
          }
          ?? source.generator.value(number, &random)
        object.setValue(value, at: source.index)
      }
      made.add(object)
    }
  }

  private func maker(_ entity: Entity, _ attribute: String) -> ValueMaker? {
    var current: Entity? = entity
    while let declaring = current {
      if let maker = makers[Property(entity: declaring.name, attribute: attribute)] { return maker }
      current = declaring.superentity
    }
    return nil
  }
}
