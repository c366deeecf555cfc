/// The reference of pipeline files, made from the specifications that the reader uses.
public enum PipelineDocumentation {
  /// The text of `docs/PIPELINE.md`.
  public static func markdown() -> String {
    var lines = [
      "# Pipeline files", "",
      "<!-- Made from the field specifications; a test keeps it in step (SEEDBED_UPDATE_DOCS=1 rewrites it). -->", "",
    ]
    lines += introduction
    for section in PipelineSection.allCases where !PipelineSection.mapForms.contains(section) {
      lines += text(of: section)
      if section == .source { lines += streams + mapIntroduction + PipelineSection.mapForms.flatMap(text(of:)) }
    }
    lines += expressions + functions + dates
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(of section: PipelineSection) -> [String] {
    var lines = [
      "## \(section.title)", "", section.introduction, "", "| key | type | default | |", "|---|---|---|---|",
    ]
    for field in section.fields {
      let cells = [
        "`\(field.name)`", field.type.name, defaultText(field.whenMissing),
        "\(field.documentation) Example: `\(field.name): \(field.example)`",
      ]
      lines.append("| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |")
    }
    return lines + [""]
  }

  private static func defaultText(_ value: FieldDefault) -> String {
    switch value {
    case .required: "**required**"
    case .none: "–"
    case .value(let value): "`\(value.yaml)`"
    case .derived(let words): words
    }
  }

  private static let introduction = [
    """
    A pipeline file is YAML that says which seeds become which objects of a store. Every mistake in its \
    text is reported with line and column, all of them at once; of files that it names and that are not there, the \
    first. `seedbed schema` prints a JSON Schema for editors \
    (`docs/pipeline.schema.json`).
    """, "",
    "```yaml", "model: ../seeds/transit/Transit.xcdatamodeld", "store: { path: ../build/Transit.sqlite }", "import:",
    "  - from: ../seeds/transit/stops.csv.gz", "    entity: Stop", "    match: [identifier]", "    map:",
    "      identifier: stop_id", "      name: stop_name",
    "      normalizedName: normalized(stop_name)              # an expression over the record",
    "      latitude: stop_lat", "      longitude: stop_lon",
    "      zone: '\"inner\"'                                   # a text constant",
    "      parent: { match: identifier, from: parent_station } # a relationship by natural key", "```", "",
    """
    **Scalars** follow YAML 1.2: `true` and `false` are booleans, `no` and `on` are text; numbers are decimal, `0x1F` is text. \
    Tags, merge keys (`<<`) and repeated keys are mistakes; aliases are followed up to 100,000 values.
    """, "",
    """
    **Variables.** `${NAME}` stands for a variable of the environment, `${NAME:default}` has a default, and `$$` is a \
    dollar sign. They work everywhere but in expressions and constants. A variable that is not set is a mistake; one \
    that is set but empty counts as set.
    """, "",
    """
    **Paths** are relative to the pipeline file and must stay inside the project folder: the nearest folder above the \
    file with a `.git`, `Package.swift` or `.seedbed-root`; else the folder above `pipelines`, when the file is in a \
    folder of that name; else the file's own folder. Symbolic links are followed before this is checked. Two things \
    lift it: `--allow-outside`, and a path that starts with a variable whose value in the environment is an absolute \
    path (`${TRANSIT_DATA}/stops.csv.gz`), because then the operator gave the place. Such a path may not climb out of \
    it again, and a default in the file does not count. Inside braces a path with a variable stands in quotes: \
    `{ path: "${TRANSIT_DATA}/stops.csv.gz" }`. Streams of the process are no files of the project: \
    `/dev/stdin` and `/dev/fd/N` as a source, and `/dev/stdout`, `/dev/stderr`, `/dev/null` and `/dev/fd/N` as \
    `export.to`, need neither.
    """, "",
  ]

  private static let streams = [
    "## Streams", "",
    """
    Standard input, FIFOs, process substitutions and devices can be read only once, so each is kept in a file beside the \
    store while the run lasts, once for all steps that name it, compressed or not. At most 64 GiB are taken, or half of \
    the free space where that is less, and no record longer than 64 MiB; `--max-input` states another size. What is \
    longer fails the run with exit code 65. SIGINT and SIGTERM end a run that waits for input, and nothing is left \
    behind. `seedbed lint` opens no stream. `--dry-run` reads standard input and what the process was given, and leaves \
    FIFOs that have a name alone, because another program may wait for what is in them; the report says so.
    """, "",
    "## Compressed sources", "",
    """
    Sources compressed with gzip or zstd are told by their first bytes, whatever their names are, and read as they \
    stream in. zstd takes the system's `libzstd.so.1` (`libzstd.1.dylib`), which is loaded when a source needs it; where \
    it is not installed, the run says which package has it.
    """, "",
    """
    `feed.zip!stops.txt` is the member `stops.txt` of a zip archive, `feed.zip!data/*.csv` all members that the pattern \
    matches, and `feeds/*.zip!stops.txt` that member of each archive. `seed.zip` alone is its only file, hidden ones and \
    those in `__MACOSX` aside, or the only one whose name ends as those of seeds do. Nothing is unpacked to the disk: \
    names of members are only names. Members are stored or deflated, of any size; size and checksum are checked. A \
    member may itself be compressed (`feed.zip!stops.csv.gz`). Encrypted members, other methods and archives in several \
    parts are refused. Where there is a file `a!b.csv` of just that name, it is meant.
    """, "",
    """
    A compressed source may inflate to 64 GiB; `--max-inflated` states another size, a ratio (`200:1`, looked at once a \
    megabyte has come out) or both (`10GB,200:1`). More fails the run with exit code 65. An empty file whose name ends \
    with `.gz` or `.zst` is damaged, since compressed data is never empty (exit code 74).
    """, "",
  ]

  private static let mapIntroduction = [
    "## Values of map", "",
    "| written | means |", "|---|---|",
    "| `name: stop_name` | the field `stop_name`; any text is an [expression](#expressions) |",
    "| `name: stop name` | the field of that name: text that is no expression but could be a column is that column |",
    "| `zone: 5`, `open: true` | the constant, unless a column has that name, such as the year in `1960: …`: `{ value: 5 }` always is one |",
    "| `note: null` | null: clears the property. A property that is not in `map`, or absent from a record, is left as it is |",
    "| `zone: '\"inner\"'` | the text `inner`: quotes inside the YAML quotes, because an expression wants them |",
    "| `zone: { value: inner }` | the same |",
    "| a mapping with `from` | an attribute, with more to say |",
    "| a mapping with `match` and `from` | a relationship by natural key |",
    "| a mapping with `key` | a relationship by record key |",
    "| a mapping with `from` and `map` | nested objects |",
    "| `tags: { from: tags, match: name, map: { name: . } }` | objects of an array of bare values, such as `[\"music\", \"bar\"]`: `.` is the value itself |",
    "| `terms: { from: words(title), match: word, map: { word: . } }` | objects of a list that an expression gives, also of CSV: here one for each word, found or made |",
    "| `actors: { match: id, from: actor_id, members: add }` | one more member for a to-many relationship, of a file with a record for each pair; see [Records of pairs](#records-of-pairs) |",
    "| `address.city: city` | an element of a composite attribute; nested composites go on with dots |",
    "| `address: { map: { city: town } }` | elements of a composite attribute from fields of the record; with `from` from those of an object inside it |",
    "| `address: addr` | every element of a composite attribute, from the members of that name of a JSON object; `null` clears all of them |",
    "",
    """
    Where a CSV source has a column whose name is exactly the text, that column is meant, whatever is in the name \
    (`Stop Name (en)`) and even if the text is also an expression (`price-usd`). Inside a longer expression such a name \
    stands in backticks. `value` and `default` are always constants; `seedbed lint` warns about a constant that is also \
    the name of a column. Of a stream the columns are not known when the pipeline is read, so there an odd name needs \
    backticks anyway.
    """, "",
    """
    A CSV source must have every column that is named; all that are missing are told at once, with the nearest names, \
    before anything is imported. `optional: true` is for columns that some feeds do not have: the property is then left as \
    it is, as with a key that a JSON record lacks. Of an expression over several columns that is so where the missing one \
    makes it null. A column that another line needs is not optional.
    """, "",
    """
    Inside a nested `map`, fields are those of the nested object; it cannot see the record around it. References find \
    objects, they do not make any: `tags: { match: name, from: tags }` refers to objects that another step imports.
    """, "",
    """
    Where the array holds bare texts or numbers, `.` is the element itself, also inside an expression (`upper(trim(.))`). \
    With `match`, equal elements are one object, in all records and later imports; without it every element is an object of \
    its own. An absent field leaves the relationship as it is, null and an empty array clear it, and null among the elements \
    is an element without a value.
    """, "",
    """
    A field that no record of a JSON source has is most likely misspelt: `seedbed lint` (from the first 1,000 records) and the \
    report of a run warn about it, unless the line says `optional: true`.
    """, "",
    """
    An object of a composite attribute that is null clears all elements, an element that it does not carry is left as it is, and a value \
    that is no object is a reject. An element that the model requires is required where the object is there; where elements are mapped \
    one by one, it is where another one has a value, or where the map leaves elements out that a stored object may have.
    """, "",
    "## Records of pairs", "",
    """
    A many-to-many relationship often comes as a file of pairs, such as `movie_id,actor_id`, with a record for each. A step for one of \
    the two entities reads it: `{ from: cast.csv, entity: Movie, match: id, map: { id: movie_id, actors: { match: id, from: actor_id, \
    members: add } } }`. Without `members: add` a record says all the members of its object, and of several records about one movie the \
    last would say that it has one actor. With it every record counts: the first makes the object where it is not there, and each adds. \
    The members of an ordered relationship stand in the order of the records; put the step that brings them first. Pairs that are \
    there are unchanged, and pairs that left the file stay, as objects do. A large file is read several times faster when it is sorted by \
    the step's key. Objects that a rule of the model wants more of (a minimum of members, a required attribute) are best brought by a \
    step before. Where a pair has values of its own, such as a role, make it \
    an entity with two relationships to one object each.
    """, "",
    "## Objects that left the feed", "",
    """
    With `replace: never` and `match`, objects whose records are gone from the feed stay as they are, with their relationships: \
    a run changes and adds, it deletes nothing. Where the feed is the whole truth, build the store anew (`replace: always` or \
    `when-changed`); with a stated `store.uuid` it is the same store to the app. A feed that was cut off must not empty the store: \
    `expect: { shrink: 20% }` at the step fails the run where the earlier store has so many more objects, and the earlier \
    store stays. To tell new objects from old ones in a store that is updated, map a constant or a column with the feed's date \
    to an attribute, and let the app delete those with an older one.
    """, "",
    "## Values by attribute type", "",
    "| type | text that is accepted |", "|---|---|",
    "| Integer 16, 32, 64 | digits with an optional sign; JSON numbers also as `5.0` or `1e3` |",
    "| Double, Float | a decimal number with an optional fraction and exponent; no thousands separator, no NaN; none so great or so near to zero that the type has only infinity or zero for it; of `-0.0` a store keeps `0.0` |",
    "| Decimal | the same; a store keeps 15 digits |",
    "| Boolean | `true` `false` `yes` `no` `1` `0`, in any case; JSON booleans |",
    "| String | as it is; JSON numbers and booleans as they are written |",
    "| Date | ISO 8601, in the source's time zone where it has none; other forms with `date` |",
    "| UUID | the 36 characters with hyphens, in either case |",
    "| URI | a URI as RFC 3986 writes it: other characters are percent-encoded already |",
    "| Binary | base64 of the stored bytes |",
    "| Transformable | JSON arrays and objects, also as the text of a CSV field or of an expression such as `coalesce(tags, labels)`, and lists that `split` makes of texts, which its transformer makes a keyed archive of; base64 of the stored bytes |",
    "",
    """
    Blanks around a value are part of it; use `trim()`. In CSV an empty field without quotes is null and `""` is the empty \
    text, as exports write them. String and Binary attributes keep any null text in quotes as a text; for attributes of \
    other types it is null. An expression for such an attribute reads it as null too, except `""`, which stays the empty \
    text, so that `x == ""` can ask for it. \
    `nulls` is about fields, not about what an expression makes of them: `trim(x)` of `" NA "` is `NA`. In a file of one column an empty line is \
    a record; elsewhere it is none.
    """, "",
    """
    A JSON record is an object; a number, text, boolean or null is a reject, and so is an array unless `map` names its \
    elements by position (`/0`).
    """, "",
  ]

  private static let expressions = [
    "## Expressions", "",
    """
    **Fields** are CSV columns (`stop_name`), paths of JSON keys (`venue.location.lat`) or JSON Pointers \
    (`/venue/location/lat`). A number in a path is a position in an array: `categories.0` is the first element, and absent \
    where the array is empty, so a to-one relationship (`from: categories.0`) or a single value can be taken from an \
    array. `first(categories)` is the same, but null where the array is empty, and the value itself where a record has \
    no array. A name with other characters stands in backticks: `` `stop name` ``, \
    `` `/a-b/0` ``; a backtick in it is doubled.
    """, "",
    """
    **Constants** are `"text"` or `'text'` (escapes `\\n \\t \\r \\\\ \\" \\' \\u{...}`), `12`, `1.5e3`, `true`, \
    `false` and `null`.
    """, "",
    "**Operators**, from the loosest binding to the tightest:", "",
    "| operator | means |", "|---|---|",
    "| `c ? a : b` | `a` where `c` is true, else `b`; only one of them is evaluated. A null `c` takes `b` |",
    "| `a ?? b` | `a` unless it is absent, null or the empty text |",
    "| <code>a &#124;&#124; b</code> | or; `b` is not evaluated when `a` decides. Null counts as unknown |",
    "| `a && b` | and, likewise |",
    "| `== != < <= > >=` | comparison; comparisons do not chain |",
    "| `a & b` | texts joined; null when one of them is (`concat` leaves them out) |",
    "| `a + b`, `a - b` | sum, difference |",
    """
    | `a * b`, `a / b`, `a % b` | product, quotient, remainder (with the sign of `a`). The quotient of integers is an \
    integer when it comes out even, else a Double |
    """,
    "| `-a`, `!a` | negative, not |", "",
    "Parentheses group. An expression nests at most \(RecordExpressionParser.maximumDepth) levels deep.", "",
    """
    **Numbers.** Integers are exact and 64 bits wide. Text that looks like a number (sign, digits, fraction, exponent; \
    no spaces) is one in arithmetic. Overflow, division by zero and text that is no number reject the record.
    """, "",
    """
    **Comparing.** Text compares with a number by value when it looks like a number; other text equals no number, and \
    to order it beside one rejects the record. Text compares with text byte by byte: `"01" == "1"` is false, and \
    `pickup_type != 1` and `pickup_type != "1"` are both false for the CSV field `1`. Text equals a boolean when it is \
    `true` or `false` accordingly.
    """, "",
    """
    **Null.** Absent and null propagate: arithmetic, order comparisons, `&` and functions yield null when one of their \
    values is. Equality does not: null equals null and absent only, so `x == null` tests for both, and `x != 1` is true \
    for a null `x`. A `where` that is null does not select the record.
    """, "",
  ]

  private static var functions: [String] {
    ["## Functions", "", "| function | means | example | yields |", "|---|---|---|---|"]
      + RecordExpression.Function.allCases.map { function in
        let specification = function.specification
        return
          "| `\(specification.signature)` | \(specification.documentation) | `\(specification.example.expression)` "
          + "| `\(specification.example.result)` |"
      } + [""]
  }

  private static let dates = [
    "## Dates", "",
    """
    Without a format, dates are ISO 8601: `2025-03-14`, `2025-03-14T09:26`, `2025-03-14 09:26:53.589Z`, \
    `2025-03-14T09:26:53+01:00`; `iso8601` says so, as against the `dates` of a source. `epoch` and `epoch-ms` count seconds and \
    milliseconds since 1970. Other formats are Unicode date patterns, which have a year, a month and a day; `yy` is refused, as it \
    does not say the century:
    """, "",
    "| letters | stand for |", "|---|---|",
    "| `yyyy` | year, four digits |",
    "| `M`, `MM`, `MMM`, `MMMM` | month: one or two digits, two digits, English abbreviation, English name |",
    "| `d`, `dd` | day |",
    "| `H`, `HH` | hour from 0 to 23 |",
    "| `h`, `hh` with `a` | hour from 1 to 12 with AM or PM |",
    "| `m`, `mm`, `s`, `ss` | minute, second |",
    "| `S` to `SSSSSSSSS` | as many decimals of the second |",
    "| `X`, `x`, `Z` | `Z` or an offset such as `+0100` or `+01:00` |",
    "| `E`, `EEEE` | English weekday, short or long; not compared with the date |",
    "| `'text'`, and all but letters | themselves |", "",
    """
    Dates that the calendar lacks are rejects: 30 February, hour 24, second 60. In zones with daylight saving, a time \
    that occurs twice is the first of the two, and one that is skipped counts on from before the gap.
    """, "",
  ]
}
