import CoreDataLayout
package import Foundation
import ObjectModel
import Platform

/// Checks of mapping models before a chain is carried out.
extension ProgressiveMigration {
  /// - Throws: for a mapping model with mistakes that is for two models: without it the step between them would be
  ///   another.
  func requireNoMistaken(
    _ older: ManagedObjectModel, _ newer: ManagedObjectModel, _ library: ModelLibrary
  ) throws(MigrationError) {
    guard let mapping = library.mappings.first(where: { $0.isMeant(from: older, to: newer) }) else { return }
    throw MigrationError(
      .mappingModel, mapping.mistakes.joined(separator: "; "),
      hint: "correct the mapping model in Xcode, or move it away to do without it")
  }

  /// - Throws: for mistakes of the mapping models that steps are done by.
  func requireSoundMappings(of chain: MigrationChain) throws(MigrationError) {
    for step in chain.steps {
      // The functions of the program's own manager are not known.
      try MappedMigrationStep(step, policies)?.requireSound(managerFunctions: makeManager == nil ? [] : nil)
    }
  }

  /// Notes what filters and look-ups of mapping models lose: in the first step what the store shows, in others what may
  /// be lost.
  func noteDataLosses(_ chain: inout MigrationChain, _ store: MigrationStore) throws {
    for (index, step) in chain.steps.enumerated() {
      guard let mapped = MappedMigrationStep(step, policies) else { continue }
      chain.steps[index].losses += try mapped.dataLosses(index == 0 ? store : nil)
    }
  }

  /// The steps whose losses were not approved by choosing a mapping model.
  func unapproved(_ steps: [MigrationChain.Step]) -> [MigrationChain.Step] {
    steps.filter { !takesMappingsAsTheyAre || MappedMigrationStep($0, policies) == nil }
  }

  /// - Throws: for inferred steps that a mapping model with mistakes is for, and for those that lose something where a
  ///   mapping model was passed over for what it leaves out.
  func requireNonePassedOver(by chain: MigrationChain, _ library: ModelLibrary) throws(MigrationError) {
    for step in chain.steps where MappedMigrationStep(step, policies) == nil {
      let (older, newer) = (step.source.model, step.destination.model)
      try requireNoMistaken(older, newer, library)
      guard !step.losses.isEmpty,
        let mapping = library.mappings.first(where: {
          $0.fits(from: older, to: newer) && $0.changesSomething(from: older, to: newer)
        })
      else { continue }
      throw MigrationError(
        .mappingModel,
        "the mapping model \(mapping.name) is for the step from \(step.source.name) to \(step.destination.name), and leaves out "
          + "\(mapping.uncovered(from: older, to: newer).joined(separator: ", ")), whose objects would go with it; without it "
          + "would go: \(step.losses.prefix(5).joined(separator: "; "))",
        hint: "add entity mappings for what it leaves out in Xcode; or choose it for this migration "
          + "(--mapping of seedbed migrate, store.mapping of a pipeline), or move it away")
    }
  }

  /// - Throws: where the result of several steps could not take a SQLite store's place, as the migration does.
  package static func requireReplaceable(_ url: URL) throws {
    let place = URL(fileURLWithPath: ResultPath.followed(url.path))
    try MigrationStore(type: .sqlite, url: url).requireReplaceable(place)
  }

  /// - Throws: where the files of external data of a migrated copy of a SQLite store could not be put beside it, as the
  ///   migration does.
  package static func requirePlace(at url: URL, forFilesOf copy: URL) throws {
    try MigrationStore(type: .sqlite, url: url).requirePlace(forFilesOf: MigrationStore(type: .sqlite, url: copy))
  }
}
