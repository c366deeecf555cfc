import Foundation

/// Keeps a run from writing over, or removing, what it reads.
enum OutputCheck {
  /// - Throws: `RunError` when the store, an export or a file of rejects is one of the run's inputs.
  static func check(_ pipeline: PipelineFile, _ inputs: SourceInputs) throws(RunError) {
    var known = Set(inputs.files.joined().map { real($0.path) })
    known.insert(real(pipeline.path))
    if let seed = pipeline.store.seed { known.insert(real(seed)) }

    var outputs = [("store.path", pipeline.store.path)]
    outputs += pipeline.exports.filter { $0.to != "-" }.map { ("export.to", $0.to) }
    let rejects = RejectCollector(settings: pipeline.rejects, stepCount: pipeline.imports.count)
    for (index, step) in pipeline.imports.enumerated() {
      if let path = rejects.path(step: index, name: step.name, source: step.source) {
        outputs.append(("rejects.file", path))
      }
    }
    let model = real(pipeline.modelPath)
    // A store that is imported into may be the one that carries the model: it is read before it is replaced.
    let mayBeModel = pipeline.store.replace == .never ? pipeline.store.path : nil
    func isModel(_ path: String) -> Bool { isInside(real(path), model) && path != mayBeModel }
    if let clash = outputs.first(where: { known.contains(real($0.1)) || isModel($0.1) }) {
      throw RunError(
        .badPipeline, code: "output.is-input", "\(clash.0) names \(clash.1), which the run reads",
        hint: "give the result another name")
    }
    let building = real(StoreBuild.folder(of: pipeline.store))
    var seen: [String: String] = [:]
    for (field, path) in outputs {
      // What cannot take its place is told before anything else has.
      var isFolder: ObjCBool = false
      if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
        throw RunError(
          .badPipeline, code: "output.is-folder", "\(field) names \(path), which is a folder",
          hint: "name a file")
      }
      if isInside(real(path), building) {
        throw RunError(
          .badPipeline, code: "output.is-temporary",
          "\(field) names \(path), which lies where the store is built and goes with that", hint: "name another folder")
      }
      if let other = seen.updateValue(field, forKey: real(path)) {
        throw RunError(
          .badPipeline, code: "output.twice", "\(other) and \(field) both name \(path)",
          hint: "give every result a name of its own")
      }
    }
  }

  /// - Throws: `RunError` when an export would replace the store or a file of the model that it is read with.
  static func check(export path: String, store: String, model: String?) throws(RunError) {
    guard path != "-" else { return }
    let target = real(path)
    guard target == real(store) || model.map({ isInside(target, real($0)) }) == true else { return }
    throw RunError(
      .badPipeline, code: "output.is-input", "\(path) is read by this export", hint: "give the result another name")
  }

  /// Whether one path is another, or lies in it, links followed.
  static func lies(_ path: String, in folder: String) -> Bool { isInside(real(path), real(folder)) }

  private static func isInside(_ path: String, _ folder: String) -> Bool {
    path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }

  private static func real(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
