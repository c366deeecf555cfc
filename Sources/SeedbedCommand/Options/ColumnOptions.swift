import ArgumentParser

/// The columns that are shown, and their order.
struct ColumnOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Columns, separated by commas: attributes, or paths such as parent.identifier; title=path names a column.",
      valueName: "list"))
  var columns: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Sort by these, separated by commas; -name sorts descending.", valueName: "list"))
  var order: String?
}
