import Foundation
import PackagePlugin

/// `swift package generate-classes`: runs `seedbed generate` for every model of the package, or of some targets, into a
/// folder beside the model that has its name.
@main
struct GenerateClasses: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var extractor = ArgumentExtractor(arguments)
    let wanted = extractor.extractOption(named: "target")
    let targets = try wanted.isEmpty ? context.package.targets : context.package.targets(named: wanted)
    let models = Set(targets.compactMap { $0 as? any SourceModuleTarget }.flatMap { Self.models(in: $0.directoryURL) })
    if models.isEmpty {
      throw Failure("there is no .xcdatamodeld in the targets \(targets.map(\.name).joined(separator: ", "))")
    }
    let tool = try builtTool()
    for model in models.sorted(by: { $0.path < $1.path }) {
      print("\(model.lastPathComponent):")
      let process = Process()
      process.executableURL = tool
      process.arguments =
        ["generate", model.path, model.deletingPathExtension().path] + extractor.remainingArguments
      try process.run()
      process.waitUntilExit()
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw Failure("seedbed generate failed for \(model.path)")
      }
    }
  }

  /// Builds `seedbed` as the package is built otherwise. As a dependency of the plugin, SwiftPM would build it a second
  /// time in every build of this package.
  private func builtTool() throws -> URL {
    let result = try packageManager.build(.product("seedbed"), parameters: .init())
    let tool = result.builtArtifacts.first { $0.kind == .executable && $0.url.lastPathComponent == "seedbed" }
    guard result.succeeded, let tool else { throw Failure("seedbed cannot be built:\n\(result.logText)") }
    return tool.url
  }

  /// The models in a folder and those below it, each once though it is a folder itself.
  private static func models(in folder: URL) -> [URL] {
    let content = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var models: [URL] = []
    while let url = content?.nextObject() as? URL {
      guard url.pathExtension == "xcdatamodeld" else { continue }
      content?.skipDescendants()
      models.append(url.standardizedFileURL)
    }
    return models
  }
}

/// Why no classes were made; SwiftPM shows its text.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
