import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Makes the sections of fetched objects, or takes those that a file has kept.
struct SectionMaker {
  let specification: FetchSpecification
  let sectionNameKeyPath: String?
  /// Names the section of an object where no key path does.
  let sectionName: ((ManagedObject) -> String)?
  let cacheName: String?
  let cacheDirectory: URL
  let context: ManagedObjectContext

  /// The state of the stores' files, taken before the fetch; nil where sections cannot be kept, because more than the
  /// files decides about them.
  func cacheStamp() -> String? {
    if sectionNameKeyPath == nil || cacheName == nil || context.parent != nil || context.hasChanges { return nil }
    // A context with a generation may read older rows than the files have.
    if context.generationToken != nil { return nil }
    if !specification.predicate.isRepeatable { return nil }
    // The versions of objects that are not fetched are not compared.
    if sectionNameKeyPath?.contains(".") == true, context.hasLoadedObjects { return nil }
    return SectionCache.stamp(context.coordinator)
  }

  /// The sections of fetched objects: kept ones where they still count.
  func sections(of found: TrackedResults.Found, stamp: String?) throws -> TrackedResults.Content {
    guard let cacheName, let stamp else { return try makeSections(of: found) }
    let cache = SectionCache(directory: cacheDirectory, name: cacheName)
    let fingerprint = fingerprint + "\n" + stamp
    if let kept = cache.load(fingerprint: fingerprint, objectCount: found.count) {
      var start = 0
      return zip(kept.names, kept.counts).map { name, count in
        defer { start += count }
        return ResultsChanges.Section(name: name, items: Array(found.objects[start..<(start + count)]))
      }
    }
    let made = try makeSections(of: found)
    cache.store(
      SectionCache.Content(fingerprint: fingerprint, names: made.map(\.name), counts: made.map(\.items.count)))
    return made
  }

  /// How sections are named; nil where all objects are in one.
  func sectionNaming() throws(FetchedResultsError) -> SectionNaming? {
    if let sectionName { return .closure(sectionName) }
    guard let sectionNameKeyPath else { return nil }
    return .keyPath(try SectionKeyPath(sectionNameKeyPath, of: specification.entity))
  }

  /// Goes through the objects for their sections.
  func makeSections(of found: TrackedResults.Found) throws -> TrackedResults.Content {
    guard let naming = try sectionNaming() else {
      return [ResultsChanges.Section(name: "", items: found.objects)]
    }
    do {
      return try makeSections(of: found.objects, naming, found.newerSnapshots)
    } catch FetchedResultsError.sectionsOutOfOrder {
      // The order is that of the rows, and some rows, perhaps at the end of a key path, are newer than their objects.
      // Until a merge, objects are sorted by the values that they have here.
      let sorted = found.objects.sorted(by: specification.sortDescriptors)
      return try makeSections(of: sorted, naming, [:])
    }
  }

  private func makeSections(
    of found: [ManagedObject], _ naming: SectionNaming, _ newerSnapshots: [ManagedObjectID: NewerSnapshot]
  ) throws -> TrackedResults.Content {
    var result: TrackedResults.Content = []
    var seen: Set<String> = []
    for object in found {
      let name = naming.sectionName(of: object, newerSnapshots.isEmpty ? nil : newerSnapshots[object.objectID])
      if result.last?.name != name {
        guard seen.insert(name).inserted else {
          let descriptor = specification.sortDescriptors[0].keyPath.joined(separator: ".")
          throw FetchedResultsError.sectionsOutOfOrder(
            section: name, keyPath: sectionNameKeyPath ?? "", firstSortKeyPath: descriptor)
        }
        result.append(ResultsChanges.Section(name: name, items: []))
      }
      result[result.count - 1].items.append(object)
    }
    return result
  }

  /// Everything but the state of the stores that the sections depend on.
  private var fingerprint: String {
    let sorts = specification.sortDescriptors.map { "\($0.keyPath) \($0.isAscending) \($0.comparison)" }
    return [
      specification.entity.name, specification.entity.versionHash.base64EncodedString(), "\(specification.predicate)",
      sorts.joined(separator: ","), "\(specification.fetchLimit) \(specification.fetchOffset)",
      "\(specification.includesSubentities)", sectionNameKeyPath ?? "",
      specification.affectedStores.map { $0.sorted().joined(separator: ",") } ?? "all stores",
    ].joined(separator: "\n")
  }
}
