import CoreDataLayout
import Foundation
package import Pipelines
import Platform
package import SeedFormats

/// Keeps results from taking the place of anything but earlier results of the same kind. It writes nothing, and runs
/// before anything is written.
public enum OutputCheck {
  /// A result to be written.
  package struct Result {
    /// Its name in messages: the setting or option with the path.
    package var field: String
    package var path: String
    package var kind: Kind

    package init(field: String, path: String, kind: Kind) {
      self.field = field
      self.path = path
      self.kind = kind
    }
  }

  package enum Kind {
    /// A store; one that is there is replaced, or imported into.
    case store(isImportedInto: Bool)
    /// Text that begins so.
    case text(TextMark, FormatOptions)
  }

  /// Checks one result of a command.
  package static func check(_ result: Result, inputs: RunInputs, replacesForeign: Bool) throws(RunError) {
    try checkPlaces([result], inputs, store: nil)
    try check(result, replacesForeign: replacesForeign)
    try checkSidecars(of: result, inputs, replacesForeign: replacesForeign)
  }

  /// Whether one path is another, or lies in it, links followed.
  package static func lies(_ path: String, in folder: String) -> Bool {
    RunInputs.isInside(ResultPath.key(path), ResultPath.key(folder))
  }

  /// No result may be an input, another result, or lie where others are made.
  package static func checkPlaces(_ results: [Result], _ inputs: RunInputs, store: String?) throws(RunError) {
    let work = store.map { ResultPath.key(WorkFolder.path(for: ResultPath.followed($0))) }
    let beside = Set(
      store.map { path in
        (Sidecar.allCases.map(\.rawValue) + [".lock"]).map { ResultPath.key(ResultPath.followed(path) + $0) }
      } ?? [])
    let external = store.map { ResultPath.key(StorePlace.externalDataFolder(of: ResultPath.followed($0))) }
    var seen: [String: String] = [:]
    var files: [FileIdentity: String] = [:]
    for result in results {
      if inputs.contain(result.path) {
        throw refusal(
          "output.is-input", "\(result.named), which the run reads", hint: "give the result another name")
      }
      let own = WorkFolder.path(for: ResultPath.followed(result.path))
      if let input = inputs.first(in: own) {
        throw refusal(
          "output.is-input", "\(result.named), which is made in \(own), where the run reads \(input); that folder goes",
          hint: "move the input elsewhere")
      }
      let path = ResultPath.key(result.path)
      if let work, RunInputs.isInside(path, work) {
        throw refusal(
          "output.is-temporary", "\(result.named), which lies where the store is built and goes with that",
          hint: "name another folder")
      }
      if let external, RunInputs.isInside(path, external) {
        throw refusal(
          "output.is-external-data",
          "\(result.named), which lies in the folder of the store's external data and would go with it",
          hint: "name another folder")
      }
      if beside.contains(path) {
        throw refusal(
          "output.is-sidecar", "\(result.named), a name that the store's own log or lock has",
          hint: "give the result another name")
      }
      let identity = FileIdentity(result.path)
      if let other = seen.updateValue(result.field, forKey: path) ?? identity.flatMap({ files[$0] }) {
        throw refusal(
          "output.twice", "\(other) and \(result.field) both name \(result.path)",
          hint: "give every result a name of its own")
      }
      if let identity { files[identity] = result.field }
    }
    let places = Dictionary(results.map { (ResultPath.key($0.path), $0) }, uniquingKeysWith: { first, _ in first })
    for (path, result) in places.sorted(by: { $0.key < $1.key }) {
      var folder = FileSystem.parent(path)
      while folder != FileSystem.parent(folder) {
        if let outer = places[folder] {
          throw refusal(
            "output.in-result", "\(result.named), as if \(outer.path) were a folder: \(outer.field) names it as a file",
            hint: "name another folder")
        }
        folder = FileSystem.parent(folder)
      }
    }
  }

  /// Refuses a result whose path has something that must not be replaced.
  package static func check(_ result: Result, replacesForeign: Bool) throws(RunError) {
    var what: String
    var remedy = "name another file, or replace this one with --force: what is in it is lost then"
    switch result.kind {
    case .store(let isImportedInto):
      let content: StorePlace.Content
      do { content = try StorePlace.content(at: result.path) } catch {
        throw RunError(any: error, store: result.path)
      }
      guard let text = content.text else { return }
      if case .notAFile(let kind) = content { throw notAFile(result, kind) }
      // A file that is no store is reported when it is opened.
      if isImportedInto, content != .otherFile, content != .emptyHeader { return }
      if isImportedInto {
        throw refusal("output.exists", "\(result.named), which is \(text)", hint: "name a store")
      }
      if content == .otherStore { remedy = "import into it with replace: never, " + remedy }
      if content == .damaged || content == .emptyHeader {
        remedy = "move it away, or replace it with --force: what is in it is lost then"
      }
      what = text
    case .text(let mark, let options):
      let content = PathContent(at: result.path)
      switch content {
      case .nothing: return
      case .file: break
      case .folder, .fifo, .socket, .device, .brokenLink, .unknown: throw notAFile(result, content)
      }
      guard let difference = mark.difference(from: result.path, options: options) else { return }
      what = StoreFiles.isDatabase(path: result.path) ? "a database" : difference
    }
    if replacesForeign { return }
    throw refusal("output.exists", "\(result.named), which is \(what)", hint: remedy)
  }

  /// Files with the names of the store's logs are removed with the earlier store, and a lock is made beside it, so no
  /// other file may have these names.
  package static func checkSidecars(
    of result: Result, _ inputs: RunInputs, replacesForeign: Bool
  ) throws(RunError) {
    guard case .store = result.kind else { return }
    if case .store(isImportedInto: false) = result.kind,
      let other = StorePlace.storeSharingExternalData(with: result.path)
    {
      throw refusal(
        "output.external-data",
        "\(result.named), which has the name of \(other) but for its ending: both would have their external data in one folder",
        hint: "give the store another name")
    }
    let lock = ResultPath.followed(result.path) + ".lock"
    if inputs.contain(lock) {
      throw refusal(
        "output.is-input", "\(result.named), whose lock would have the name \(lock), which the run reads",
        hint: "give the store or the input another name")
    }
    for sidecar in StoreSidecar.all(of: result.path) {
      let named = "\(result.named), whose log would have the name \(sidecar.path)"
      if inputs.contain(sidecar.path) {
        throw refusal(
          "output.is-input", "\(named), which the run reads", hint: "give the store or the input another name")
      }
      switch sidecar.obstacle {
      case nil: continue
      case .notAFile(let text)?:
        throw refusal(
          text == PathContent.folder.text ? "output.is-folder" : "output.not-a-file", "\(named), which is \(text)",
          hint: "move it away, or give the store another name")
      case .foreignFile?:
        if replacesForeign { continue }
        throw refusal(
          "output.exists", "\(named), which is \(StoreSidecar.Obstacle.foreignFile.text)",
          hint: "move it away, give the store another name, or let --force remove the file: what is in it is lost then")
      }
    }
  }

  private static func notAFile(_ result: Result, _ content: PathContent) -> RunError {
    refusal(
      content == .folder ? "output.is-folder" : "output.not-a-file", "\(result.named), which is \(content.text)",
      hint: "name a file")
  }

  private static func refusal(_ code: String, _ message: String, hint: String) -> RunError {
    RunError(.cannotCreate, code: code, message, hint: hint)
  }
}

extension OutputCheck.Result {
  fileprivate var named: String { "\(field) names \(path)" }
}
