import ArgumentParser
import Foundation
import ModelFiles
import StoreDifferences

/// `seedbed diff`
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compares two stores object by object.",
    discussion: """
      Says which objects the second store has more (+), which it has no longer (-), and which differ (~), with the properties. \
      Objects are known by the attributes of the first uniqueness constraint, whatever their primary keys are, or by those that \
      --key names; without either by primary key. Relationships are compared by the keys of the objects that they lead to.

      Each store is read with the model that it carries, or both with --model. Neither is changed.

      EXIT CODES
        0    the stores have the same objects
        1    they differ
        64   usage; 65, 66, 74, 75 and 78: a store or model cannot be read
      """)

  @Argument(help: "The first store: what was.", completion: .file())
  var first: String

  @Argument(help: "The second store: what is.", completion: .file())
  var second: String

  @OptionGroup var model: ModelOptions

  @Option(
    help: ArgumentHelp(
      "The attributes by which objects of an entity are known: Stop=identifier, or Visit=day,place; may be given several times.",
      valueName: "entity=list"))
  var key: [KeyArgument] = []

  @Option(
    help: ArgumentHelp(
      "Compare objects of this entity and its sub-entities alone; may be given several times.", valueName: "name"))
  var entity: [String] = []

  @Option(
    help: ArgumentHelp(
      "Do not compare this property, or Entity.property; may be given several times.", valueName: "property"))
  var ignore: [String] = []

  @Flag(help: "Write each difference as JSON on a line of its own.")
  var json = false

  @Flag(help: "Write the counts of each entity instead of the differences; with --json as one object.")
  var summary = false

  @Flag(help: "Say nothing but errors on standard error.")
  var quiet = false

  @OptionGroup var log: LogOptions

  /// `Entity=attribute,attribute`.
  struct KeyArgument: ExpressibleByArgument {
    var entity: String
    var attributes: [String]

    init?(argument: String) {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      entity = parts[0]
      attributes = parts[1].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      if attributes.isEmpty || attributes.contains("") { return nil }
    }
  }

  /// Lines that go out together: a call of the system for each would take longer than the comparison.
  private final class LineBuffer {
    private var text = ""

    func print(_ line: String) {
      text += text.isEmpty ? line : "\n" + line
      if text.utf8.count >= 1 << 16 { flush() }
    }

    func flush() {
      if !text.isEmpty { Terminal.print(text) }
      text = ""
    }
  }

  func run() throws {
    var path = first
    do {
      let left = try model.read(store: first).model
      path = second
      let right = try model.read(store: second).model
      path = first
      var options = ComparisonOptions()
      for key in key { options.keys[key.entity] = key.attributes }
      options.entities = entity
      options.ignoredProperties = ignore
      let comparison = StoreComparison(leftPath: first, left, rightPath: second, right, options: options)
      let lines = LineBuffer()
      defer { lines.flush() }
      let found = try comparison.run { difference in
        if !summary { lines.print(json ? DiffText.json(difference) : DiffText.text(difference)) }
      }
      lines.flush()
      if summary { Terminal.print(json ? DiffText.json(found) : DiffText.text(found)) }
      if !quiet {
        if !(summary && json) { for note in found.modelDifferences { LogLine.say(note, event: "diff.model") } }
        LogLine.say(DiffText.closing(found), event: "diff.ended")
      }
      if found.hasDifferences { throw ExitCode(1) }
    } catch let code as ExitCode {
      throw code
    } catch {
      throw CommandFailure(error, store: path, format: log.logFormat)
    }
  }
}
