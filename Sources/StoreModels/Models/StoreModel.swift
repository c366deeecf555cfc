import CoreDataLayout
import Foundation
public import ModelFiles
import ObjectModel
public import Pipelines
import Platform

/// Finds the model that a store is read with: the one that is given, or the one that the store carries itself.
public enum StoreModel {
  /// Reads the model at a path, or without one the store's cached model.
  /// - Parameters:
  ///   - storePath: the store; it is not changed.
  ///   - modelPath: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`; nil for the store's own.
  ///   - version: name of a version of the model at `modelPath`; nil for the current one.
  /// - Throws: `ModelError` when there is no model or it is damaged, `StoreError` when the store cannot be read,
  ///   `RunError` when the model that it carries is damaged.
  public static func read(storePath: String, modelPath: String?, version: String? = nil) throws -> ModelFile {
    if let modelPath { return try readFile(path: modelPath, version: version) }
    guard let cached = try readSoundCached(storePath: storePath) else {
      throw noCachedModel(storePath, hint: "give the app's model with --model")
    }
    return cached
  }

  /// A damaged cached model is a damaged store where there is no other model to read it with.
  private static func readSoundCached(storePath: String) throws -> ModelFile? {
    do {
      return try readCached(storePath: storePath)
    } catch let error as ModelError {
      throw RunError(
        .badData, code: "model.cached", "the model that \(storePath) carries cannot be read: \(error.description)",
        hint: "give the app's model instead")
    }
  }

  private static func noCachedModel(_ path: String, hint: String) -> ModelError {
    ModelError([
      ModelError.Problem(
        .unreadableFile, file: path, message: "the store carries no model (Z_MODELCACHE is missing or empty)",
        hint: hint)
    ])
  }

  /// Reads a model from wherever one can be: model folders and files as `ModelReader` reads them, or a store that
  /// carries its model.
  /// - Throws: `ModelError` when there is no model or it is damaged, `StoreError` when the store cannot be read,
  ///   `RunError` when the model that it carries is damaged.
  public static func readFile(path: String, version: String? = nil) throws -> ModelFile {
    guard StoreFiles.isDatabase(path: path) else {
      try requireModel(path)
      return try ModelReader.readFile(path: path, version: version)
    }
    guard version == nil else {
      throw ModelError([
        ModelError.Problem(
          .unknownVersion, file: path, message: "a store carries one version of its model, so none can be chosen",
          hint: "leave the model version out")
      ])
    }
    guard let cached = try readSoundCached(storePath: path) else {
      throw noCachedModel(path, hint: "name the app's model instead: its .xcdatamodeld, .xcdatamodel, .momd or .mom")
    }
    return cached
  }

  /// Says what the path names instead, where that is known.
  private static func requireModel(_ path: String) throws(ModelError) {
    func refusal(_ message: String, _ hint: String) -> ModelError {
      ModelError([ModelError.Problem(.unreadableFile, file: path, message: message, hint: hint)])
    }
    if UnexpectedFileText.isURL(path) {
      throw refusal("this is a URL, not a path", UnexpectedFileText.hint(forURL: path))
    }
    let nature = UnexpectedFileText(path)
    if nature == nil, !FileSystem.exists(path),
      !ModelReader.isModel(path: FileSystem.parent(path)),
      let hint = UnexpectedFileText.hint(forMissing: path)
    {
      throw refusal("there is no model here", hint)
    }
    guard let nature, !ModelReader.isModel(path: path),
      !["a folder", "XML", "an XML property list"].contains(nature.name)
    else { return }
    throw refusal(
      "this is \(nature.name), not a model",
      "give the app's .xcdatamodeld, .xcdatamodel, .momd or .mom, or a store that carries its model")
  }

  /// Reads the model of a pipeline, for work on a copy of a store that exists already where there is one.
  /// - Throws: as `readFile(path:version:)`, with the pipeline's line where the pipeline's setting is wrong and not the
  ///   model's contents.
  public static func readFile(of pipeline: PipelineFile, templatePath: String? = nil) throws -> ModelFile {
    do {
      return try readFile(path: pipeline.modelPath, version: pipeline.modelVersion, templatePath: templatePath)
    } catch let error as ModelError {
      guard let problem = error.problems.first, problem.line == nil, problem.code != .inputOutput else { throw error }
      let isVersion = problem.code == .unknownVersion
      let position = isVersion ? pipeline.modelVersionPosition ?? pipeline.modelPosition : pipeline.modelPosition
      let name = problem.file.map { FilePath.shown($0) + ": " } ?? ""
      throw PipelineError([
        PipelineProblem(
          code: "model.\(problem.code.rawValue)", message: name + problem.message, hint: problem.hint,
          file: FilePath.shown(pipeline.path), position: position)
      ])
    }
  }

  /// Reads a model for work on a copy of a store that exists already, such as one that the app made. Where a version
  /// hash rests on an unconfirmed rule, that of the store is taken, unless it was made with another entity of that
  /// name.
  /// - Parameter templatePath: the store that is copied; nil when a new one is made.
  /// - Throws: `ModelError` when there is no model or it is damaged, `StoreError` when a store cannot be read.
  public static func readFile(path: String, version: String?, templatePath: String?) throws -> ModelFile {
    let file = try readFile(path: path, version: version)
    guard let templatePath, file.model.entities.contains(where: \.restsOnUnconfirmedHashRule) else { return file }
    let origin = try StoreOrigin(storePath: templatePath, modelPath: path)
    return origin.fitting(file, origin.search())
  }

  /// The contents for `Z_MODELCACHE` of a new store when the model is compiled already: that archive, deflated. Nil
  /// when it is at hand as XML, or is larger than caches may be.
  public static func cacheContent(of file: ModelFile) throws -> [UInt8]? {
    try file.archive.flatMap { try ModelCache.content(archive: $0) }
  }

  /// Reads the model that a store carries in `Z_MODELCACHE`.
  /// - Returns: nil when it carries none.
  /// - Throws: `ModelError` when the cached model is damaged, `StoreError` when the store cannot be read.
  public static func readCached(storePath: String) throws -> ModelFile? {
    guard let cache = try ModelCache.read(path: storePath) else { return nil }
    return try CachedModelReader.read(
      deflated: cache.content, origin: storePath, storedHashes: cache.versionHashes)
  }
}

extension StoreModel {
  /// Whether a path names a file that is no database, such as data or a pipeline.
  public static func isNoDatabase(path: String) -> Bool {
    UnexpectedFileText(path).map { !$0.isFolder && $0.name != UnexpectedFileText.database } ?? false
  }

  /// Whether a path names an SQLite database.
  public static func isDatabase(path: String) -> Bool { UnexpectedFileText(path)?.name == UnexpectedFileText.database }
}
