import Foundation
import TestSupport
import Testing

/// `Notes.sqlite`, a store of a version of a real app's model, with its mapping models. It needs the shared fixtures.
enum Notes {
  static let model = "UnCloudNotesDataModel.xcdatamodeld"

  /// The name of a mapping model from a version to the next.
  static func mapping(_ versions: String) -> String { "UnCloudNotesMappingModel_\(versions).xcmappingmodel" }

  /// Copies the model or a mapping model.
  static func copy(_ name: String, to place: String? = nil, in workspace: Workspace) throws {
    let target = workspace.url(place ?? name)
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: FixtureFolder.path("models/uncloud-notes/" + name), toPath: target.path)
  }

  /// The pipeline that imports `notes.json`.
  /// - Parameters:
  ///   - map: what it maps besides title, date and place.
  static func pipeline(_ store: String = "path: Notes.sqlite", version: String, map: String) -> String {
    """
    model: { path: \(model), version: UnCloudNotesDataModel \(version) }
    store: { \(store) }
    import:
      - from: notes.json
        entity: Note
        map: { title: title, \(map), dateCreated: '"2026-01-02T03:04:05Z"', displayIndex: "0" }
    """
  }

  /// A workspace with the model, a mapping model, and the store of a version.
  /// - Parameters:
  ///   - place: where the mapping model is to be; beside the model by default.
  static func workspace(
    version: String, mapping: String? = nil, at place: String? = nil, records: String, map: String
  ) async throws -> Workspace {
    let workspace = try Workspace()
    try copy(model, in: workspace)
    if let mapping { try copy(mapping, to: place, in: workspace) }
    try workspace.write("notes.json", records)
    try workspace.write("notes.yaml", pipeline(version: version, map: map))
    let run = try await workspace.run("run", "--quiet", "notes.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return workspace
  }
}
