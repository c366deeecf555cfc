import ArgumentParser

/// Which objects of a store a batch command changes.
struct BatchSubjectOptions: ParsableArguments {
  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: "The entity; objects of its sub-entities count.")
  var entity: String

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Which objects: a predicate in the format language of NSPredicate; TRUEPREDICATE for all.", valueName: "predicate"
    ))
  var predicate: String
}

/// How a batch command ends, and what it says.
struct BatchOutputOptions: ParsableArguments {
  @Flag(help: "Do it in a transaction that is undone, and say what would change.")
  var dryRun = false

  @Flag(help: "Write the result as JSON.")
  var json = false

  @OptionGroup var log: LogOptions
}
