public import ArgumentParser
import CoreDataLayout
import Diagnostics
import Foundation
import ImportEngine
import Logging
import Migration
import ModelFiles
import ObjectModel
import Pipelines
import Reports
public import SQLMigration
import StoreModels
import Synchronization

/// `seedbed migrate`
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Brings a store to another version of its model, in place.",
    discussion: """
      The version that the store was made with is found among those of the model by its version hashes, or else in the \
      store itself. The change is inferred from the two models as Core Data infers it, and made by SQL in one \
      transaction, or in a copy that takes its place: the store is the old one or the new one, whatever happens. What \
      the data do not allow is told before anything is changed. docs/MIGRATION.md says what can be inferred.

      Mapping models beside the model, or given with --mapping, are carried out where they are for the versions; and where \
      nothing leads from one version to the other at once, the steps through versions between them are taken.

      Migration policies that mapping models name are Swift code of the app's, which this command does not have: such a \
      migration is refused with their names, unless --policy NAME=none has the mapping's own expressions do without.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp("The app's model: an .xcdatamodeld, .xcdatamodel, .momd or .mom.", valueName: "path"),
    completion: .file())
  var model: String

  @Option(help: ArgumentHelp("The version to migrate to; the current one by default.", valueName: "version"))
  var to: String?

  @Option(
    help: ArgumentHelp(
      "A mapping model, an .xcmappingmodel or .cdm; may be given several times. Those in the model's folder by default.",
      valueName: "path"),
    completion: .file())
  var mapping: [String] = []

  @Option(
    help: ArgumentHelp(
      "NAME=none: carry the entity mappings of a migration policy out by their own expressions, without it; may be given several times.",
      valueName: "name=none"))
  var policy: [PolicyOption] = []

  @Flag(help: "Show what would be done, and change nothing.")
  var dryRun = false

  @Option(help: "What becomes of objects that are not unique any more: refuse, keep-first, keep-last or merge.")
  var duplicates = StoreMigration.DuplicatePolicy.refuse

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions

  func run() throws {
    var result = MigrateResult(store: store, target: to ?? "", isDryRun: dryRun)
    do {
      let target = try StoreModel.readFile(path: model, version: to)
      do {
        try migrate(to: target, &result)
      } catch  where ProgressiveMigration.isOfAnother(error) && !dryRun {
        // The store was still of the older version when it was first read.
        result = try foundChanged(target)
      }
      Terminal.print(json ? result.json : result.text)
      // As the migration itself would end.
      if let refusal = result.refusal { throw CommandFailure(refusal, store: store, format: log.logFormat) }
      if !result.obstacles.isEmpty { throw ExitCode(65) }
    } catch let code as ExitCode {
      throw code
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      if json {
        result.note(refusal: error)
        Terminal.print(result.json)
      }
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  /// - Parameter result: gets what becomes known, also where it ends with an error.
  private func migrate(to target: ModelFile, _ result: inout MigrateResult) throws {
    let models = try MigrationModels(storePath: store, target: target, modelPath: model)
    result = MigrateResult(store: store, target: target.versionName, isDryRun: dryRun)
    result.source = models.source.versionName
    guard !models.isUpToDate else {
      // An earlier run may have been killed when its result had just taken its place.
      if !dryRun { WorkFolder.removeLeftovers(for: store) }
      result.warnings = try [models.doubt].compactMap { $0 } + unusedOptions()
      return
    }
    var steps = try MigrationSteps(
      models, store: store, modelPath: model, mappings: mapping, policies: PolicyOption.policies(policy),
      isNamed: to != nil)
    result.warnings = [models.doubt].compactMap { $0 } + steps.warnings
    result.duplicates = duplicates
    try requireUse(of: policy, steps.chain)
    let progress = MigrationProgress(stepCount: steps.chain?.steps.count ?? 1)
    steps.didWork = { progress.add($0) }
    let line = !dryRun && ProgressLine.isWanted(log.logFormat) ? ProgressLine { progress.text(after: $0) } : nil
    defer { line?.finish() }
    var options = try models.options()
    options.willBegin = { progress.begin($0) }
    let losses = AnnouncedLosses()
    options.willLose = { losses.announce($0) }
    options.duplicates = duplicates
    if let chain = steps.chain {
      result.chain = chain
      result.objectCounts = try MigrateResult.objectCounts(ofStoreAt: store, model: models.source.model)
      if dryRun {
        result.outlook = try steps.outlook()
        // The known obstacles would end it; further ones show only in the work itself.
        if result.obstacles.isEmpty { rehearse(steps, options, &result) }
      } else {
        losses.announce(chain.steps.flatMap(\.lostTexts))
        try carryOut(steps, options, progress, &result)
      }
    } else if dryRun {
      let plan = try StoreMigration.plan(storeAt: store, from: models.source.model, to: models.target.model)
      result.plan = plan
      guard result.obstacles.isEmpty else { return }
      if plan.conditions.isEmpty, plan.isComplete {
        result.note(refusalOf: { try steps.requirePlace(for: plan) }, store)
      } else {
        rehearse(steps, options, &result)
      }
    } else {
      try migrateInOneStep(models, options, losses, &result)
    }
  }

  /// Migrates through several steps, or by mapping models.
  private func carryOut(
    _ steps: MigrationSteps, _ options: StoreMigration.Options, _ progress: MigrationProgress,
    _ result: inout MigrateResult
  ) throws {
    try steps.carryOut(options, willBegin: { progress.begin($0) }, didEnd: { progress.end($1) })
    result.stepReports = progress.reports
    result.brokenIndexes = progress.reports.mapValues(\.brokenIndexes)
    result.work.contexts = PerformanceCounters.process.current
    result.work.store = progress.work
    result.isMigrated = true
  }

  /// Migrates by an inferred mapping, with statements or pages.
  private func migrateInOneStep(
    _ models: MigrationModels, _ options: StoreMigration.Options, _ losses: AnnouncedLosses,
    _ result: inout MigrateResult
  ) throws {
    let (older, newer) = (models.source.model, models.target.model)
    var foreign = try ForeignObjects(storeAt: store, model: older)
    let mapping = try older.inferredMappingModel(to: newer, mergesHierarchies: true)
    losses.announce(
      older.lightweightMigration(to: newer).losses.map(\.description)
        + (try foreign.carry(from: older, to: newer, mapping)).lostTexts)
    let report: MigrationReport
    do {
      report = try StoreMigration.run(storeAt: store, from: older, to: newer, options: options)
    } catch {
      if case StoreMigrationError.conditions = error {
        result.plan = try? StoreMigration.plan(storeAt: store, from: older, to: newer)
      }
      throw error
    }
    result.plan = report.plan
    result.report = report
    result.work.store = report.work
    result.isMigrated = true
  }

  /// The message when another program changed the store before it could be migrated.
  /// - Throws: where it is not of the target's version now.
  private func foundChanged(_ target: ModelFile) throws -> MigrateResult {
    let models = try MigrationModels(storePath: store, target: target, modelPath: model)
    guard models.isUpToDate else {
      throw RunError(
        .locked, code: "migration.changedStore", "\(store) was changed by another program while it was migrated",
        hint: "close the app that has it open, and migrate again; nothing was replaced")
    }
    var result = MigrateResult(store: store, target: target.versionName, isDryRun: dryRun)
    result.source = models.source.versionName
    result.warnings = ["another program migrated the store meanwhile"]
    return result
  }

  /// Does the migration to a copy, and notes how it would end.
  private func rehearse(_ steps: MigrationSteps, _ options: StoreMigration.Options, _ result: inout MigrateResult) {
    var options = options
    (options.willBegin, options.willLose) = (nil, nil)
    let progress = MigrationProgress(stepCount: 0)
    var report: MigrationReport?
    let work = {
      report = try steps.rehearse(options, willBegin: { progress.begin($0) }, didEnd: { progress.end($1) })
    }
    result.note(refusalOf: work, store)
    if let report { result.plan = result.plan?.losing(report.brokenIndexes) }
    result.brokenIndexes = progress.reports.mapValues(\.brokenIndexes)
  }

  /// Options that have no effect on a store that is of the version already. The same line may be used again and again.
  /// - Throws: for mapping models that are missing or cannot be read, as where they are used.
  private func unusedOptions() throws -> [String] {
    for path in mapping {
      try MigrationSteps.requireMapping(path)
      for file in MigrationSteps.mappingModels(at: path) { _ = try MappingModelReader.read(path: file) }
    }
    return mapping.map { "--mapping \($0) is not used: there is nothing to migrate" }
      + policy.map { "--policy \($0.name)=none is not used: there is nothing to migrate" }
  }

  /// A policy that no mapping of the migration names is a mistake.
  private func requireUse(of policies: [PolicyOption], _ chain: MigrationChain?) throws {
    let names = (chain?.steps ?? []).flatMap { step -> [String] in
      guard case .mapped(let mapping) = step.way else { return [] }
      return mapping.mappingModel.entityMappings.compactMap(\.entityMigrationPolicyClassName)
    }
    for policy in policies where !names.contains(where: { PolicyOption.policies([policy])[$0] != nil }) {
      throw CommandFailure(
        usage: "no mapping model of this migration names the policy \(policy.name)",
        hint: names.isEmpty ? "leave --policy out" : "they name \(Set(names).sorted().joined(separator: ", "))")
    }
  }
}

/// Losses are reported before the store is changed, each once.
private final class AnnouncedLosses: Sendable {
  private let told = Mutex<Set<String>>([])

  func announce(_ losses: [String]) {
    for loss in losses where told.withLock({ $0.insert(loss).inserted }) {
      LogLine.say("will be lost: \(loss)", .warning, event: "migration.loss")
    }
  }
}

/// A migration policy that is left out, as `NAME=none`.
struct PolicyOption: ExpressibleByArgument {
  let name: String

  init?(argument: String) {
    guard argument.hasSuffix("=none"), argument != "=none" else { return nil }
    name = String(argument.dropLast(5))
  }

  /// The stand-in for the policies: a plain one, which follows the mapping's expressions.
  static func policies(_ options: [PolicyOption]) -> MigrationPolicies {
    var policies = MigrationPolicies()
    for option in options { policies[option.name] = EntityMigrationPolicy.self }
    return policies
  }
}

extension StoreMigration.DuplicatePolicy: ExpressibleByArgument {}
