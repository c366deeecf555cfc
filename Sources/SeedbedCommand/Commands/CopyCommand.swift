public import ArgumentParser
public import CoreDataLayout
import ImportEngine
import Logging
import Pipelines
import StoreInterface

/// `seedbed copy`
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copies a store with its -wal and -shm, so that no committed row is lost.",
    discussion: """
      The source is left as it is, and its files of external data are copied along. The copy is made beside the target \
      and renamed over it; sidecars and external data of a previous target are removed. An existing target is kept unless its recorded seed version is older than \
      --seed-version, or --replace is given.
      """)

  @Argument(help: "The store to copy.", completion: .file())
  var source: String

  @Argument(help: "Where to put the copy.", completion: .file())
  var target: String

  @Option(help: "delete: one sealed file. wal: three files.")
  var journal: SealedJournal = .delete

  @Option(help: ArgumentHelp("Recorded in the copy; replaces a target with a lower one.", valueName: "number"))
  var seedVersion: Int?

  @Flag(help: "Replace an existing target whatever its version.")
  var replace = false

  @Flag(help: "Replace a file that is no store made or copied by this program, too.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func validate() throws { try ResultName.check(target, "the target") }

  func run() throws {
    do {
      let outcome = try StoreCopier.copy(
        from: source, to: target,
        options: StoreCopier.Options(
          journal: journal, seedVersion: seedVersion, replace: replace ? .always : .whenNewer, replacesForeign: force))
      if case .copied = outcome, let encoding = StoreCopier.otherEncoding(of: target) {
        LogLine.say(
          "the store has its texts in \(encoding): Core Data writes UTF-8, and no other command reads it", .warning,
          event: "copy.encoding")
      }
      guard !quiet else { return }
      switch outcome {
      case .copied: Terminal.print("copied \(source) to \(target)")
      case .kept(let version):
        let known = version.map { "seed version \($0)" } ?? "no seed version"
        Terminal.print("\(target) is there (\(known)) and was kept; --replace replaces it, a higher --seed-version too")
      }
    } catch StoreError.cannotCreate(let path, let message) where canForce {
      let error = RunError(
        .cannotCreate, code: "output.exists", "\(path): \(message)",
        hint: "move it away, name another file, or let --force replace it: what is in it is lost then")
      throw CommandFailure(error, store: source, format: log.logFormat)
    } catch {
      throw CommandFailure(error, store: source, format: log.logFormat)
    }
  }

  /// Whether the only obstacles are files that `--force` replaces.
  private var canForce: Bool {
    guard !force, let content = try? StorePlace.content(at: target), content.isReplaceable else { return false }
    let obstacles = StoreSidecar.all(of: target).compactMap(\.obstacle)
    return obstacles.allSatisfy { $0 == .foreignFile } && (content.text != nil || !obstacles.isEmpty)
  }
}

extension SealedJournal: ExpressibleByArgument {}
