import Foundation
import Platform
internal import Yams

/// The contents of a folder that a dump is to replace.
struct EarlierDump {
  /// Whether a dump was written here: the folder has the pipeline that dumps have.
  let isDump: Bool
  /// Names in the folder that the dump did not write, such as a store that was restored from it, in order.
  let others: [String]

  /// - Parameter folder: a folder that is there.
  init(at folder: String) {
    let path = folder + "/" + RestorePipeline.fileName
    let names = FileSystem.names(in: folder)
    guard case .file = PathContent(at: path), let text = try? String(contentsOfFile: path, encoding: .utf8),
      text.hasPrefix(RestorePipeline.firstLine + "\n")
    else {
      isDump = false
      others = names.sorted()
      return
    }
    isDump = true
    let own = Self.names(in: text)
    others = names.filter { !own.contains($0) }.sorted()
  }

  /// The files that belong to a dump, as its pipeline names them.
  private static func names(in pipeline: String) -> Set<String> {
    var names: Set = [RestorePipeline.fileName, LeftOutFile.fileName]
    guard let root = try? Yams.compose(yaml: pipeline) else { return names }
    if let model = root["model"]?.string ?? root["model"]?["path"]?.string { names.insert(model) }
    for step in root["import"]?.array() ?? [] {
      if let source = step["from"]?.string { names.insert(source) }
    }
    return names
  }
}
