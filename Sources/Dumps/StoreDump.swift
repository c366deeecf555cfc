import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
public import Pipelines
import Platform
import ResultFiles
import StoreModels

/// Writes a whole store as NDJSON, one file per entity, with the pipeline that restores it and the model: a folder that
/// stands by itself.
public struct StoreDump {
  let storePath: String
  let modelPath: String?
  let modelVersion: String?
  let folder: String
  let compresses: Bool
  /// Whether an earlier dump may be replaced.
  let replacesDump: Bool
  let cancellation: Cancellation

  /// The result of a dump.
  public struct Report: Sendable, Hashable {
    /// Concrete entities and their objects, in the order in which they are restored.
    public var entities: [Entity]
    /// References that lead nowhere; they are in `left-out.ndjson`.
    public var danglingReferences = 0
    /// Values whose files of external data are gone; they are null in the dump and named in `left-out.ndjson`.
    public var missingValues = 0
    /// The first of these, in words.
    public var missingValueTexts: [String] = []

    /// Keys that several objects have against the model's uniqueness constraints, in words: a restore refuses them.
    public var duplicateKeys: [String] = []

    /// How many objects one entity's file holds.
    public struct Entity: Sendable, Hashable {
      /// The entity's name.
      public var name: String
      /// Its objects, those of sub-entities not among them.
      public var count: Int
    }
  }

  /// - Parameters:
  ///   - modelPath: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, or a store that carries the model; nil for
  ///     the one that the store itself carries.
  ///   - modelVersion: a version of the model at `modelPath`; nil for the current one.
  ///   - folder: where to write; it is not there yet, or empty, or an earlier dump that may be replaced.
  ///   - compresses: whether the entities' files are gzip.
  ///   - replacesDump: replaces a folder that holds an earlier dump and nothing else.
  public init(
    storePath: String, modelPath: String?, modelVersion: String?, folder: String, compresses: Bool,
    replacesDump: Bool = false, cancellation: Cancellation = Cancellation()
  ) {
    self.storePath = storePath
    self.modelPath = modelPath
    self.modelVersion = modelVersion
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    // A folder cannot be renamed by the names that it has in itself.
    if [".", ".."].contains((folder as NSString).lastPathComponent) {
      folder = URL(fileURLWithPath: folder).standardizedFileURL.path
    }
    self.folder = ResultPath.followed(folder)
    self.replacesDump = replacesDump
    self.compresses = compresses
    self.cancellation = cancellation
  }

  /// Writes the dump beside its folder and moves it there when it is complete. The store is not changed.
  ///
  /// The same store and model give the same bytes.
  /// - Throws: `RunError`.
  public func run() throws(RunError) -> Report {
    do {
      return try perform()
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  private func perform() throws -> Report {
    let file = try StoreModel.read(storePath: storePath, modelPath: modelPath, version: modelVersion)
    try putBackEarlier()
    try checkFolder()
    let store = try SQLiteStore.open(path: storePath, model: file.model, options: .reading)
    defer { try? store.close() }
    try createFolder(FileSystem.parent(folder))
    let work = try WorkFolder(for: folder)
    // An earlier dump that could not be put back must not go with the folder.
    defer { if !isEarlierAside { work.remove() } }
    let partial = work.path + "/dump"
    try createFolder(partial)
    let report = try store.requiringUnchanged { try write(store, file, to: partial) }
    try store.close()
    try cancellation.check(nil)
    try putInPlace(partial)
    return report
  }

  private func write(_ store: SQLiteStore, _ file: ModelFile, to folder: String) throws -> Report {
    let plan = DumpPlan(store, compresses: compresses)
    let model = try DumpedModel.write(from: modelPath, file: file, store: storePath, into: folder)
    var report = Report(entities: [])
    let leftOut = LeftOutFile(folder: folder)
    try leftOut.addDanglingReferences(of: store, keyField: plan.keyField)
    for part in plan.parts {
      let dump = EntityDump(
        store: store, part: part, keyField: plan.keyField, cancellation: cancellation, leftOut: leftOut)
      report.entities.append(
        Report.Entity(name: part.entity.name, count: try dump.write(to: folder + "/" + part.fileName)))
    }
    try leftOut.finish()
    report.danglingReferences = leftOut.danglingCount
    report.missingValues = leftOut.missingCount
    report.missingValueTexts = leftOut.missing
    report.duplicateKeys = try store.duplicateKeys()
    var storeName = FilePath.name(of: storePath)
    let taken = Set(plan.parts.map(\.fileName) + [model.name, RestorePipeline.fileName, LeftOutFile.fileName]).map {
      $0.lowercased()
    }
    while taken.contains(storeName.lowercased()) { storeName += ".sqlite" }
    let pipeline = RestorePipeline(
      plan: plan, model: model, storeName: storeName, leftOutCount: leftOut.danglingCount + leftOut.missingCount)
    try DumpedModel.write(Data(pipeline.text.utf8), to: folder + "/" + RestorePipeline.fileName)
    return report
  }

  // MARK: - The folder

  private func checkFolder() throws(RunError) {
    if let model = modelPath, OutputCheck.lies(folder, in: model) {
      throw RunError(
        .cannotCreate, code: "dump.inside-model", "\(folder) lies inside the model \(model)",
        hint: "name a folder elsewhere")
    }
    if OutputCheck.lies(folder, in: StorePlace.externalDataFolder(of: storePath)) {
      throw RunError(
        .cannotCreate, code: "dump.inside-external-data", "\(folder) lies in the folder of the store's external data",
        hint: "name a folder elsewhere")
    }
    let partial = WorkFolder.path(for: folder)
    for input in [storePath] + (modelPath.map { [$0] } ?? []) where OutputCheck.lies(input, in: partial) {
      throw RunError(
        .cannotCreate, code: "dump.is-input", "\(input) lies in \(partial), where the dump is made and which goes",
        hint: "name another folder")
    }
    let content = PathContent(at: folder)
    if content == .nothing { return }
    guard content == .folder else {
      throw RunError(
        .cannotCreate, code: "dump.not-a-folder", "\(folder) is \(content.text)",
        hint: "name a folder that is not there yet")
    }
    if (try? FileSystem.listing(of: folder))?.isEmpty == true { return }
    let earlier = EarlierDump(at: folder)
    if earlier.isDump, replacesDump { return try checkContents(of: earlier) }
    throw RunError(
      .cannotCreate, code: "dump.not-empty", "the folder \(folder) is not empty",
      hint: earlier.isDump
        ? "it is an earlier dump: replace it with --force, or name a folder that is not there yet"
        : "name a folder that is not there yet, or remove it first")
  }

  /// An earlier dump goes as a whole, so it may hold nothing but what a dump writes, and no input.
  private func checkContents(of earlier: EarlierDump) throws(RunError) {
    if let first = earlier.others.first {
      let count = earlier.others.count
      throw RunError(
        .cannotCreate, code: "dump.other-files",
        "the folder \(folder) holds \(first)\(count > 1 ? " and \(count - 1) more" : "") beside an earlier dump",
        hint: "move what is no part of the dump elsewhere, or name a folder that is not there yet")
    }
    for input in [storePath] + (modelPath.map { [$0] } ?? []) where OutputCheck.lies(input, in: folder) {
      throw RunError(
        .cannotCreate, code: "dump.is-input", "\(input) lies in the folder \(folder), which is to be replaced",
        hint: "name a folder that is not there yet")
    }
  }

  /// The name of an earlier dump in the work folder, while another takes its place in two steps.
  private static let earlierName = "earlier"
  private var earlier: String { WorkFolder.path(for: folder) + "/" + Self.earlierName }

  /// Whether an earlier dump was set aside, and nothing has its place.
  private var isEarlierAside: Bool { PathContent(at: folder) == .nothing && EarlierDump(at: earlier).isDump }

  /// Puts back an earlier dump that a killed run had set aside.
  private func putBackEarlier() throws {
    if isEarlierAside { try WorkFolder.putBack(Self.earlierName, to: folder) }
  }

  private func putInPlace(_ partial: String) throws {
    guard replacesDump, PathContent(at: folder) == .folder else { return try ResultPlace.rename(partial, to: folder) }
    // A file may have been put there meanwhile.
    try checkFolder()
    // The earlier dump goes with the work folder.
    if FileSystem.exchange(partial, folder) { return }
    try ResultPlace.rename(folder, to: earlier)
    do { try ResultPlace.rename(partial, to: folder) } catch {
      try? ResultPlace.rename(earlier, to: folder)
      throw error
    }
  }

  private func createFolder(_ path: String) throws(RunError) {
    do throws(SystemError) {
      try FileSystem.makeFolder(path)
    } catch {
      throw RunError(.cannotCreate, code: "dump.cannot-create", "cannot create \(path): \(error.reason)")
    }
  }
}
