import ImportEngine
import Seedbed

// The lines from here on stand in docs/SWIFT.md too; a test compares them.

/// Builds the store of a pipeline, as `seedbed run` does, and says how many objects came in.
func build(_ pipelinePath: String) throws -> Int {
  let pipeline = try PipelineReader.read(
    path: pipelinePath, environment: ProcessInfo.processInfo.environment)
  return try PipelineRun(pipeline).run().counts.inserted
}

/// The names of the stops that belong to a station, in the order of their names.
func stopNames(ofStation identifier: String, in storePath: String, modelPath: String) async throws -> [String] {
  let model = try ModelReader.read(path: modelPath)
  var options = SQLiteStore.Options()
  options.isReadOnly = true
  let store = try SQLiteStore.open(path: storePath, model: model, options: options)
  let container = try PersistentContainer(name: "Transit", model: model, store: store)
  let names = try await container.performBackgroundTask { context in
    let request = FetchRequest<ManagedObject>(entityName: "Stop")
    request.predicate = FetchPredicate(format: "parent.identifier == %@", identifier)
    request.sortDescriptors = [FetchSortDescriptor(key: "name")]
    return try context.fetch(request).compactMap { $0["name"] as String? }
  }
  try store.close()
  return names
}
