public import ObjectModel

/// Writes Swift classes for a model: for each entity a class, which is written once and then belongs to the program,
/// and an extension with its typed properties, which is written anew when the model changes.
///
/// The same model gives the same text. Only names that are Swift identifiers get into it, so that no model can put
/// other code there.
public struct AccessorGenerator: Sendable {
  /// A file to write.
  public struct File: Sendable, Hashable {
    /// Such as `Book.swift`; no two files of a model have the same one, also where letter case does not count.
    public let name: String
    /// The whole text, with a line end at its end.
    public let text: String
    /// Whether an existing file of that name is left as it is.
    public var isWrittenOnce: Bool { declaration != nil }
    /// Of a class: how its declaration begins, `class Painting: Work`.
    public let declaration: String?
  }

  /// The use of the classes.
  public enum Flavor: String, Sendable, Hashable, CaseIterable {
    /// Classes over this package's `ManagedObject`.
    case seedbed
    /// Apple's framework: the files that Xcode's generator writes.
    case coreData = "core-data"
  }

  /// Which files are made of an entity: Xcode's "Codegen".
  public enum CodeGeneration: String, Sendable, Hashable, CaseIterable {
    /// The class and its properties. Also the default for "Manual/None", because asking for files is then what Xcode's
    /// "Create NSManagedObject Subclass" is.
    case `class`
    /// The properties only; the program has a class of its own.
    case category
  }

  /// The first line of every file that is made anew, by which they can be told from files written by hand.
  public static let firstLine = SwiftNames.firstLine
  /// The first line of every file that is made once.
  public static let firstLineOnce = SwiftNames.firstLineOnce

  private let model: ManagedObjectModel
  private let names: SwiftNames
  private let isPublic: Bool
  private let flavor: Flavor
  private let codeGeneration: CodeGeneration?

  /// - Parameters:
  ///   - modelName: the name from which the class list is named: `LibraryClasses` for Library. Characters that no Swift
  ///     name has are left out.
  ///   - isPublic: whether the classes can be used outside their module. Those for Core Data always can.
  ///   - codeGeneration: which files are made; nil for those that the model asks for, entity by entity.
  public init(
    model: ManagedObjectModel, modelName: String, isPublic: Bool = true, flavor: Flavor = .seedbed,
    codeGeneration: CodeGeneration? = nil
  ) {
    self.model = model
    self.isPublic = isPublic
    self.flavor = flavor
    self.codeGeneration = codeGeneration
    names = SwiftNames(model, modelName: modelName)
  }

  /// The files of each entity, in the order of the model's entities, one per composite type, and at the end one with
  /// the list of the classes, which a persistent container takes. For Core Data there are only those of the entities.
  ///
  /// Attributes become properties: scalars where the model says so (an optional one is then 0 without a value, as
  /// Xcode's are), else optional where the attribute is. A required attribute that has no value yet reads as zero or
  /// empty; UUIDs and URIs have no such value and are always optional. A composite attribute becomes a property of a
  /// struct with a property for each element that is not transient, nested composites too. To-many relationships become
  /// arrays, with the methods to add and remove members that Xcode's have; fetched properties arrays that are fetched
  /// each time.
  public func files() -> [File] {
    var used: Set<String> = []
    var files: [File] = []
    for entity in model.entities {
      let base = fileName(names.bareClassName(of: entity), &used)
      let isClassMade = (codeGeneration ?? CodeGeneration(statedBy: entity)) == .class
      files += (isClassMade ? [classFile(entity, base)] : []) + [propertiesFile(entity, base)]
    }
    if flavor == .coreData { return files }
    for composite in names.composites {
      let text = CompositeAccessors(composite: composite, names: names, isPublic: isPublic).text
      files.append(File(name: fileName(names.bareStructName(of: composite), &used) + ".swift", text: text))
    }
    files.append(File(name: fileName(names.listName, &used) + ".swift", text: listText()))
    return files
  }

  /// Warnings for the program that makes the files: names in the model that classes and properties cannot have.
  public var notes: [String] {
    model.entities.flatMap { entity -> [String] in
      var notes: [String] = []
      let className = names.bareClassName(of: entity)
      if let stated = SwiftNames.statedClassName(entity.definition), stated != className {
        notes.append(
          "the class of \(entity.name) is called \(className): the model's \(stated) is no name for it, or stands for "
            + "several entities")
      }
      guard flavor == .coreData else { return notes }
      let own = entity.definition
      let properties = own.attributes.map(\.name) + own.relationships.map(\.name) + own.fetchedProperties.map(\.name)
      for name in properties.sorted() where SwiftNames.appleMembers.contains(name) {
        notes.append("\(entity.name).\(name) has the name of a member of NSManagedObject; rename it in the model")
      }
      return notes
    }
  }

  private func classFile(_ entity: Entity, _ base: String) -> File {
    switch flavor {
    case .seedbed:
      File(
        name: base + ".swift", text: EntityClass(entity: entity, names: names, isPublic: isPublic).text,
        declaration: names.declaration(of: entity))
    case .coreData:
      File(
        name: base + "+CoreDataClass.swift", text: CoreDataClass(entity: entity, names: names).classText,
        declaration: names.coreDataDeclaration(of: entity))
    }
  }

  private func propertiesFile(_ entity: Entity, _ base: String) -> File {
    switch flavor {
    case .seedbed:
      File(
        name: base + "+Properties.swift",
        text: EntityProperties(entity: entity, names: names, isPublic: isPublic).text)
    case .coreData:
      File(
        name: base + "+CoreDataProperties.swift", text: CoreDataClass(entity: entity, names: names).propertiesText)
    }
  }

  private func fileName(_ name: String, _ used: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !used.insert(candidate.lowercased()).inserted {
      candidate = "\(name)-\(number)"
      number += 1
    }
    return candidate
  }

  /// The list of classes, and what the classes share.
  private func listText() -> String {
    let access = isPublic ? "public " : ""
    let object = names.type("ManagedObject")
    let lines = model.entities.map { "      \"\($0.name)\": \(names.className(of: $0)).self," }
    return """
      \(SwiftNames.header)
      \(access)import Seedbed

      /// The classes of the model's entities.
      \(access)enum \(names.listName) {
        /// Entity name to class: what a persistent container is made with.
        \(access)static var byEntityName: [\(names.type("String")): \(object).Type] {
          \(lines.isEmpty ? "[:]" : "[\n\(lines.joined(separator: "\n"))\n    ]")
        }

        static func checked<Object: \(object)>(_ object: \(object)) -> Object {
          guard let checked = object as? Object else {
            preconditionFailure("objects of \\(object.entity.name) are of another class; make the container with byEntityName")
          }
          return checked
        }
      }

      """
  }
}

extension AccessorGenerator.File {
  init(name: String, text: String) { self.init(name: name, text: text, declaration: nil) }
}

extension AccessorGenerator.CodeGeneration {
  /// The kind of generated code that an entity of a model states.
  fileprivate init(statedBy entity: Entity) {
    self = entity.definition.codeGenerationType == "category" ? .category : .class
  }
}
