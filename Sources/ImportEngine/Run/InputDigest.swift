import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import Pipelines
import Platform
import StoreInterface
import StoreModels

/// A digest over everything that a store's content depends on: pipeline, model, sources, seed store.
struct InputDigest: Sendable {
  /// The digest as the store's metadata has it.
  let text: String
  /// The UUID of a new store that the pipeline states none for: the same inputs give the same one.
  let uuid: String

  /// The placeholder in a new store until the digest is known.
  static let unknownUUID = "00000000-0000-0000-0000-000000000000"

  /// Reads all inputs from the beginning to the end.
  init(pipeline: PipelineFile, model: ModelFile, inputs: SourceInputs) throws(RunError) {
    var digest = FileDigest()
    try digest.add(file: pipeline.path)
    digest.add(text: PipelineCanon.text(of: pipeline))
    // A store that carries the model may have it in its log.
    try digest.add(file: model.path)
    let log = StoreFiles.sidecar(.log, of: model.path)
    if FileSystem.exists(log) { try digest.add(file: log) }
    for file in inputs.files.joined() { try digest.add(file: file.path) }
    if let seed = pipeline.store.seed, FileSystem.exists(seed) {
      do throws(StoreError) {
        try StoreFiles.requireFile(seed)
      } catch {
        throw RunError(any: error, store: seed)
      }
      for path in Sidecar.files(of: ResultPath.followed(seed), [.log]) where FileSystem.exists(path) {
        try digest.add(file: path)
      }
    }
    if pipeline.store.migratesOrigin {
      // Only files are read: anything else is reported by the migration, and reading it might wait for ever.
      for path in MigrationSteps.mappingFiles(of: pipeline) {
        if case .file = PathContent(at: path) { try digest.add(file: path) }
      }
    }
    for path in pipeline.lookups.flatMap(\.source.paths) { try digest.add(file: path) }
    self.init(digest.finalize())
  }

  /// The digest with what `file()` has read.
  func adding(_ files: FileValues?) throws(RunError) -> InputDigest {
    try files?.requireUnchanged()
    guard let read = files?.digest else { return self }
    var digest = ContentDigest()
    digest.update(content: Data(text.utf8))
    digest.update(content: read)
    return InputDigest(digest.finalize())
  }

  private init(_ data: Data) {
    text = data.base64EncodedString()
    uuid = ContentDigest.uuid(from: data)
  }
}
