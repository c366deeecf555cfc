/// Something in a store that Core Data's own layout never has, or that is worth knowing.
public struct StoreFinding: Sendable, Hashable {
  /// How grave a finding is.
  public enum Severity: String, Sendable {
    /// No app opens the store, or can read or write all of its rows.
    case problem
    /// A fact about the data: the app opens the store, and finds it so.
    case warning
    /// The app opens the store as it is.
    case note
  }
  /// The kinds of findings. Raw values appear in `check --json` and do not change.
  public enum Code: String, Sendable, CaseIterable {
    /// SQLite's own integrity check complains.
    case integrity
    /// A table or column of the model is missing, or is not what it should be.
    case schema
    /// A trigger that cannot run, so that the table cannot be written to.
    case trigger
    /// The metadata have something that no store of Core Data's has.
    case metadata
    /// `Z_PRIMARYKEY` does not list the model's entities with their numbers and parents.
    case entityList
    /// `Z_MAX` is lower than a primary key in use, or leaves no key to give out.
    case keyCounter
    /// A row's `Z_ENT` is not an entity of its table.
    case entityNumber
    /// A row's `Z_ENT` is an abstract entity.
    case abstractEntity
    /// A row has no version counter.
    case version
    /// A to-one column points at no row.
    case danglingReference
    /// A reference points at a row whose entity is not the destination nor one of its sub-entities.
    case wrongDestination
    /// An entity column is missing where the key is set, set where it is not, or not the destination's.
    case entityColumn
    /// An order key is missing where the key is set, or set where it is not.
    case orderKey
    /// The two sides of a relationship disagree.
    case inverse
    /// A join row points at no row.
    case danglingJoin
    /// Several rows have the same values under a uniqueness constraint.
    case duplicateKey
    /// A to-many relationship has fewer or more objects than the model allows.
    case toManyCount
    /// A value is of another storage class than the column's type has.
    case storageClass
    /// A whole number that the attribute's type does not hold.
    case valueRange
    /// A column is declared with a type that makes SQLite change the app's values.
    case columnType
    /// A join table has the same pair more than once.
    case duplicateJoin
    /// A value kept outside has an unknown tag or a file name that is none.
    case externalValue
    /// The file of a value kept outside is missing or no regular file.
    case externalFile
    /// An R-tree does not hold just the rows that it is about.
    case rTree

    /// An entity is listed under a name that the model does not have, as after a rename.
    case staleName
    /// No unique index guards a uniqueness constraint.
    case missingIndex
    /// A mandatory property has no value.
    case missingValue
    /// A file in the folder of external data that no row names.
    case unusedExternalFile
    /// A trigger that the model does not explain.
    case unknownTrigger
    /// The file refuses rows that the model allows.
    case unknownConstraint

    /// How grave it is as a rule.
    public var severity: Severity {
      switch self {
      case .staleName, .missingIndex, .missingValue, .unusedExternalFile, .unknownTrigger, .unknownConstraint: .note
      case .integrity, .schema, .trigger, .metadata, .entityList, .entityNumber, .abstractEntity, .storageClass,
        .externalValue:
        .problem
      case .keyCounter, .version, .danglingReference, .wrongDestination, .entityColumn, .orderKey, .inverse,
        .danglingJoin, .duplicateJoin, .duplicateKey, .toManyCount, .valueRange, .columnType, .externalFile, .rTree:
        .warning
      }
    }
  }
  /// What kind of finding it is.
  public var code: Code
  /// The table concerned, empty for the file as a whole.
  public var table: String
  /// The column concerned, when it is one.
  public var column: String?
  /// Number of rows that are concerned.
  public var count: Int
  /// The primary key of one of them.
  public var exampleKey: Int64?
  /// What is the matter, in words.
  public var message: String
  /// How grave it is.
  public var severity: Severity

  init(
    _ code: Code, table: String = "", column: String? = nil, count: Int = 1, exampleKey: Int64? = nil,
    severity: Severity? = nil, _ message: String
  ) {
    self.code = code
    self.severity = severity ?? code.severity
    self.table = table
    self.column = column
    self.count = count
    self.exampleKey = exampleKey
    self.message = message
  }
}

extension StoreFinding.Code {
  /// What to do about it.
  public var advice: String {
    switch self {
    case .integrity: "the file is damaged: take a whole copy, or recover what is left with sqlite3 .recover"
    case .schema: "check with the model that the store was made with, or build the store anew"
    case .trigger: "drop the trigger, or build the store anew"
    case .metadata, .entityList: "build the store anew, or let the app write it"
    case .keyCounter:
      "set Z_MAX to the greatest Z_PK of the table; give its rows smaller ones where no key is left"
    case .entityNumber, .abstractEntity: "delete the rows, or set Z_ENT to the number of their entity"
    case .version: "set Z_OPT to 1"
    case .danglingReference, .wrongDestination:
      "clear the reference, or import the objects that it points at; of a history, delete the row"
    case .entityColumn: "set the column to Z_ENT of the row that the key points at, NULL where the key is NULL"
    case .orderKey: "give each member an order key, and none to rows without an owner"
    case .inverse: "set the other side too, or clear this one"
    case .danglingJoin: "delete the join rows"
    case .duplicateJoin: "delete all but one of each pair's rows, and create a unique index over both columns"
    case .duplicateKey: "delete or merge the duplicates"
    case .toManyCount: "import the missing objects, or take the surplus ones away"
    case .storageClass: "write the values anew with the type of their attribute"
    case .valueRange: "write numbers that the type holds, or give the attribute a greater type"
    case .columnType: "build the store anew: SQLite cannot change the type of a column"
    case .externalValue: "write the values anew; the first byte says where the rest lies"
    case .externalFile: "copy the folder of external data along with the store (seedbed copy does)"
    case .rTree: "delete the entries of the R-tree and insert those of the rows"
    case .staleName: "nothing: the app goes by the numbers"
    case .missingIndex: "create the index, or nothing will keep duplicates out"
    case .missingValue: "give the objects a value: the app opens them but cannot save them again as they are"
    case .unusedExternalFile: "remove the file, when no other store uses it"
    case .unknownTrigger: "make sure that it is meant to be there: the app runs it on every change"
    case .unknownConstraint: "make sure that it is meant to be there: the app's saves fail where a row breaks it"
    }
  }
}
