public import ObjectModel
import Platform
import PropertyLists

/// A mapping model as it was read from a file.
public struct MappingModelFile: Sendable {
  /// The mapping model that the file holds.
  public let mappingModel: MappingModel
  /// Path of the XML file or archive that was read.
  public let path: String
  /// The copies of the two models that a mapping model of Xcode's editor carries, which may be older than those of the
  /// project; nil for a compiled one.
  public let source: EmbeddedModel?
  /// The copy of the destination's model; nil for a compiled one.
  public let destination: EmbeddedModel?
  /// Entity mappings whose entities the copies of the models do not have.
  public let warnings: [ModelError.Problem]

  /// A model inside a mapping model.
  public struct EmbeddedModel: Sendable {
    /// Its entities with their version hashes. Default values, limits and fetch requests are not read.
    public let model: ManagedObjectModel
    /// Where the model's version was when the copy was made, relative to the project; often out of date.
    public let path: String
  }
}

/// Reads mapping models: `.xcmappingmodel` folders, their `xcmapping.xml`, and compiled `.cdm` files.
///
/// The XML is compiled by the rules of Xcode's compiler, so that a `.xcmappingmodel` and the `.cdm` made of it read
/// equal.
public enum MappingModelReader {
  /// The largest file that is read, in bytes.
  static let maximumByteCount = 64 << 20

  /// Whether a path has the name of a mapping model.
  public static func isMappingModel(path: String) -> Bool {
    let path = ModelLocation.withoutTrailingSlashes(path)
    return path.hasSuffix(".xcmappingmodel") || path.hasSuffix("/xcmapping.xml") || path.hasSuffix(".cdm")
  }

  /// Reads a mapping model; a `/` at the end of the path is allowed.
  /// - Throws: `ModelError` for a file that is none or is damaged.
  public static func read(path: String) throws(ModelError) -> MappingModelFile {
    let path = ModelLocation.withoutTrailingSlashes(path)
    switch ModelFileSystem.kind(path) {
    case .missing:
      throw ModelError(
        .unreadableFile, file: path, "there is no such file or folder", hint: "give the path of a mapping model")
    case .folder: return try read(file: path + "/xcmapping.xml")
    case .file: return try read(file: path)
    }
  }

  private static func read(file path: String) throws(ModelError) -> MappingModelFile {
    let bytes = try ModelFileSystem.readFile(path, limit: maximumByteCount)
    do {
      if bytes.starts(with: Array("bplist".utf8)) {
        let model = try CompiledMappingReader.read(KeyedArchive([UInt8](bytes)).root())
        return MappingModelFile(mappingModel: model, path: path, source: nil, destination: nil, warnings: [])
      }
      let document = try MappingDocument(try XMLNode.parse(bytes, path: path, allowsDocumentType: true))
      return try MappingCompiler.compile(document, path: path)
    } catch let error as ModelError {
      throw error
    } catch let error as ArchiveError {
      throw ModelError(
        .malformedArchive, file: path, error.message, hint: "restore the mapping model from a whole copy")
    } catch {
      throw ModelError(.unreadableFile, file: path, "\(error)", hint: "restore the mapping model from a whole copy")
    }
  }
}
