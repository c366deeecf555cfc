public import ObjectModel

/// Writes Swift accessors for a model: a class per entity with typed properties, for use with the object graph.
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
  }

  /// The first line of every file, by which they can be told from files written by hand.
  public static let firstLine = SwiftNames.firstLine

  private let model: ManagedObjectModel
  private let names: SwiftNames
  private let isPublic: Bool

  /// - Parameters:
  ///   - modelName: what the class list is named after: `LibraryClasses` for Library. Characters that no Swift name has
  ///     are left out.
  ///   - isPublic: whether the classes can be used outside their module.
  public init(model: ManagedObjectModel, modelName: String, isPublic: Bool = true) {
    self.model = model
    self.isPublic = isPublic
    names = SwiftNames(model, modelName: modelName)
  }

  /// One file per entity, in the order of the model's entities, one per composite type, and at the end one with the list
  /// of the classes, which a persistent container takes.
  ///
  /// Attributes become properties: scalars where the model says so (an optional one is then 0 without a value, as
  /// Xcode's are), else optional where the attribute is. A required attribute that has no value yet reads as zero or
  /// empty; UUIDs and URIs have no such value and are always optional. A composite attribute becomes a property of a struct
  /// with a property for each element that is not transient, nested composites too. Fetched properties, which objects do
  /// not hold, have no accessor.
  public func files() -> [File] {
    var used: Set<String> = []
    var files: [File] = []
    for entity in model.entities {
      let text = EntityAccessors(entity, names: names, isPublic: isPublic).text
      files.append(File(name: fileName(names.bareClassName(of: entity), &used), text: text))
    }
    for composite in names.composites {
      let text = CompositeAccessors(composite: composite, names: names, isPublic: isPublic).text
      files.append(File(name: fileName(names.bareStructName(of: composite), &used), text: text))
    }
    files.append(File(name: fileName(names.listName, &used), text: listText()))
    return files
  }

  private func fileName(_ name: String, _ used: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !used.insert(candidate.lowercased()).inserted {
      candidate = "\(name)-\(number)"
      number += 1
    }
    return candidate + ".swift"
  }

  /// The list of classes, and what the classes share.
  private func listText() -> String {
    let access = isPublic ? "public " : ""
    let object = names.type("ManagedObject")
    let text = names.type("String")
    let lines = model.entities.map { "      \"\($0.name)\": \(names.className(of: $0)).self," }
    return """
      \(SwiftNames.header)
      \(access)import Seedbed

      /// The classes of the model's entities.
      \(access)enum \(names.listName) {
        /// Entity name to class: what a persistent container is made with.
        \(access)static var byEntityName: [\(text): \(object).Type] {
          \(lines.isEmpty ? "[:]" : "[\n\(lines.joined(separator: "\n"))\n    ]")
        }

        static func entity(_ name: \(text), in model: \(names.type("ManagedObjectModel"))) -> \(names.type("Entity")) {
          guard let entity = model[name] else {
            preconditionFailure("the model has no entity \\(name); make these classes again from it")
          }
          return entity
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
