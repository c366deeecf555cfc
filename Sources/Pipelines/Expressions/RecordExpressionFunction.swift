/// The description of a function for documentation, parser and editor support.
struct FunctionSpecification: Sendable {
  var signature: String
  var argumentCounts: ClosedRange<Int>
  var documentation: String
  /// An expression and what it yields, for the documentation; tests evaluate it.
  var example: (expression: String, result: String)

  var argumentCountText: String {
    if argumentCounts.lowerBound == argumentCounts.upperBound {
      return argumentCounts.lowerBound == 1 ? "1 argument" : "\(argumentCounts.lowerBound) arguments"
    }
    if argumentCounts.upperBound == Int.max { return "at least \(argumentCounts.lowerBound) argument" }
    return "\(argumentCounts.lowerBound) to \(argumentCounts.upperBound) arguments"
  }
}

extension RecordExpression.Function {
  /// The function's one specification.
  var specification: FunctionSpecification {
    switch self {
    case .normalized:
      FunctionSpecification(
        signature: "normalized(text)", argumentCounts: 1...1,
        documentation: """
          The text for searching: without case (`ß` becomes `ss`), diacritics and width differences, the same in every \
          locale. White space stays as it is; combine with `trim` where that matters.
          """,
        example: ("normalized(\"Café Straße\")", "cafe strasse"))
    case .duration:
      FunctionSpecification(
        signature: "duration(text)", argumentCounts: 1...1,
        documentation: """
          Whole seconds from `H:MM:SS`, `H:MM` or a plain count of seconds, with an optional sign. Hours may pass 24; \
          minutes and seconds are two digits up to 59.
          """,
        example: ("duration(\"25:10:00\")", "90600"))
    case .date:
      FunctionSpecification(
        signature: "date(text, format, zone)", argumentCounts: 1...3,
        documentation: """
          The point in time that the text names. `format` and `zone` are text constants; without them the source's \
          `dates` and `time-zone` hold.
          """,
        example: ("date(\"24/12/2025 18:30\", \"dd/MM/yyyy HH:mm\", \"Europe/Berlin\")", "2025-12-24T17:30:00Z"))
    case .trim:
      FunctionSpecification(
        signature: "trim(text)", argumentCounts: 1...1,
        documentation: "The text without white space at both ends.",
        example: ("trim(\"  two words \")", "two words"))
    case .upper:
      FunctionSpecification(
        signature: "upper(text)", argumentCounts: 1...1,
        documentation: "The text in capital letters, the same in every locale.",
        example: ("upper(\"straße\")", "STRASSE"))
    case .lower:
      FunctionSpecification(
        signature: "lower(text)", argumentCounts: 1...1,
        documentation: "The text in small letters, the same in every locale.", example: ("lower(\"ÉCOLE\")", "école"))
    case .replace:
      FunctionSpecification(
        signature: "replace(text, old, new)", argumentCounts: 3...3,
        documentation: "The text with every occurrence of `old`, taken literally, replaced. `old` must not be empty.",
        example: ("replace(\"1.234.567\", \".\", \"\")", "1234567"))
    case .substring:
      FunctionSpecification(
        signature: "substring(text, start, length)", argumentCounts: 2...3,
        documentation: """
          The characters from the `start`-th on (the first is 1), `length` of them or all that follow. Past the end \
          there is the empty text.
          """,
        example: ("substring(\"20250314\", 5, 2)", "03"))
    case .length:
      FunctionSpecification(
        signature: "length(text)", argumentCounts: 1...1,
        documentation: "How many characters the text has, as a reader counts them.", example: ("length(\"Zoë\")", "3"))
    case .number:
      FunctionSpecification(
        signature: "number(text)", argumentCounts: 1...1,
        documentation: """
          The number that the text names: an integer of 64 bits without, a Double with a fraction or exponent. A fraction \
          of more digits than a Double holds, up to 38, stays exact until it is calculated with. Anything else fails, the \
          empty text too. A boolean is 1 or 0.
          """,
        example: ("number(\"007\") + 0.5", "7.5"))
    case .text:
      FunctionSpecification(
        signature: "text(value)", argumentCounts: 1...1,
        documentation: "The value as text; a date as ISO 8601 in UTC.", example: ("text(1 + 1)", "2"))
    case .concat:
      FunctionSpecification(
        signature: "concat(value, ...)", argumentCounts: 1...Int.max,
        documentation: "The values as one text. Absent and null ones are left out; null when there is nothing else.",
        example: ("concat(\"a\", null, 1)", "a1"))
    case .coalesce:
      FunctionSpecification(
        signature: "coalesce(value, ...)", argumentCounts: 1...Int.max,
        documentation: "The first value that is not absent, null or the empty text; null when there is none.",
        example: ("coalesce(null, \"\", \"third\")", "third"))
    case .contains:
      FunctionSpecification(
        signature: "contains(text, part)", argumentCounts: 2...2,
        documentation:
          "Whether the text has the part, taken literally; with `normalized` around both regardless of case.",
        example: ("contains(\"night bus\", \"bus\")", "true"))
    case .split:
      FunctionSpecification(
        signature: "split(text, separator, n)", argumentCounts: 2...3,
        documentation: """
          The `n`-th piece between separators, counted from 1, or from the end by -1, -2 and so on; null where there is \
          none. Without `n` all pieces as a list: for a Transformable attribute (`tags: split(tags, "|")`; its transformer \
          makes an archive of an array of texts), or as `from` of nested objects.
          """,
        example: ("split(\"DE-BE-10115\", \"-\", 2)", "BE"))
    case .words:
      FunctionSpecification(
        signature: "words(text)", argumentCounts: 1...1,
        documentation: """
          The words of a text as a list, each once and as `normalized` leaves it, for a to-many relationship to an entity \
          of search terms: `terms: { from: words(title), match: word, map: { word: . } }`. A word is a run of letters and \
          digits with their marks, and an ideograph or a Hiragana letter by itself; see [SEARCH.md](SEARCH.md).
          """,
        example: ("words(\"L'Été: 2 étés, un été\")", "l, ete, 2, etes, un"))
    case .first:
      FunctionSpecification(
        signature: "first(field)", argumentCounts: 1...1,
        documentation: """
          The first element of the JSON array in a field: null where the array is empty, absent where the field is, and \
          the value itself where it is no array. `category: { match: code, from: first(categories) }` gives a to-one \
          relationship. Of an array of objects write the path, `categories.0.code`.
          """,
        example: ("first(categories)", "bread, of [\"bread\", \"cake\"]"))
    case .round:
      FunctionSpecification(
        signature: "round(number, digits)", argumentCounts: 1...2,
        documentation: """
          The number with so many digits behind the point (without `digits` none), as it is written in decimal, halves \
          away from zero; -2 rounds to hundreds. Exact for numbers of up to 38 digits.
          """,
        example: ("round(2.675, 2)", "2.68"))
    case .uuid:
      FunctionSpecification(
        signature: "uuid(text, namespace)", argumentCounts: 1...2,
        documentation: """
          The UUID of version 5 that the text has in a namespace: a UUID, `dns`, `url`, `oid` or `x500`. Without it that \
          of URLs, \(RecordExpression.Function.urlNamespace). The same text always gives the same UUID.
          """,
        example: ("uuid(\"python.org\", \"dns\")", "886313E1-3B8A-5372-9B90-0C9AEE199E5D"))
    case .lookup:
      FunctionSpecification(
        signature: "lookup(name, key)", argumentCounts: 2...2,
        documentation: """
          What the key finds in one of the pipeline's [lookups](#lookups), whose name is a text constant; null where \
          the key is not in it. Keys are compared as text, byte by byte.
          """,
        example: ("lookup(\"zones\", \"A\")", "Inner city"))
    case .file:
      FunctionSpecification(
        signature: "file(path)", argumentCounts: 1...1,
        documentation: """
          What a file holds, for a Binary or Transformable attribute. The path is relative to the pipeline file and stays \
          inside the project, like all [paths](#pipeline-files). A file that is not there, or has more than 64 MiB, is a \
          reject. `when-changed` notices when one of the files changes; a few files at a time are held in memory.
          """,
        example: ("file(\"faces/\" & \"ada.jpg\")", "the bytes of faces/ada.jpg"))
    }
  }
}
