// Made by Seedbed from a data model. Make it again instead of changing it.
// swift-format-ignore-file

public import Seedbed

extension Painting {
  /// Binary, required.
  public var binaryRequired: Seedbed.Data {
    get { if case .data(let value) = self["binaryRequired"] { value } else { Seedbed.Data() } }
    set { self["binaryRequired"] = .data(newValue) }
  }

  /// Boolean, required.
  public var booleanRequired: Bool {
    get { if case .boolean(let value) = self["booleanRequired"] { value } else { false } }
    set { self["booleanRequired"] = .boolean(newValue) }
  }

  /// Boolean, false without a value.
  public var booleanScalar: Bool {
    get { if case .boolean(let value) = self["booleanScalar"] { value } else { false } }
    set { self["booleanScalar"] = .boolean(newValue) }
  }

  /// Date, required.
  public var dateRequired: Seedbed.Date {
    get { if case .date(let value) = self["dateRequired"] { value } else { Seedbed.Date(timeIntervalSinceReferenceDate: 0) } }
    set { self["dateRequired"] = .date(newValue) }
  }

  /// Date, 0 without a value.
  public var dateScalar: TimeInterval {
    get { if case .date(let value) = self["dateScalar"] { value.timeIntervalSinceReferenceDate } else { 0 } }
    set { self["dateScalar"] = .date(Seedbed.Date(timeIntervalSinceReferenceDate: newValue)) }
  }

  /// Decimal, required.
  public var decimalRequired: Decimal {
    get { if case .decimal(let value) = self["decimalRequired"] { value } else { 0 } }
    set { self["decimalRequired"] = .decimal(newValue) }
  }

  /// Double, 0 without a value.
  public var doubleScalar: Double {
    get { if case .double(let value) = self["doubleScalar"] { value } else { 0 } }
    set { self["doubleScalar"] = .double(newValue) }
  }

  /// Float, required.
  public var floatRequired: Float {
    get { if case .double(let value) = self["floatRequired"] { Float(value) } else { 0 } }
    set { self["floatRequired"] = .double(Double(newValue)) }
  }

  /// Float, 0 without a value.
  public var floatScalar: Float {
    get { if case .double(let value) = self["floatScalar"] { Float(value) } else { 0 } }
    set { self["floatScalar"] = .double(Double(newValue)) }
  }

  /// Integer 16, required.
  public var integer16Required: Int16 {
    get { if case .integer(let value) = self["integer16Required"] { Int16(clamping: value) } else { 0 } }
    set { self["integer16Required"] = .integer(Int64(newValue)) }
  }

  /// Integer 32, 0 without a value.
  public var integer32Scalar: Int32 {
    get { if case .integer(let value) = self["integer32Scalar"] { Int32(clamping: value) } else { 0 } }
    set { self["integer32Scalar"] = .integer(Int64(newValue)) }
  }

  /// Integer 64, 0 without a value.
  public var integer64Scalar: Int64 {
    get { if case .integer(let value) = self["integer64Scalar"] { value } else { 0 } }
    set { self["integer64Scalar"] = .integer(newValue) }
  }

  /// Integer 64, derived.
  public var roomCount: Int64? {
    if case .integer(let value) = self["roomCount"] { value } else { nil }
  }

  /// String, required.
  public var stringRequired: Swift.String {
    get { if case .string(let value) = self["stringRequired"] { value } else { "" } }
    set { self["stringRequired"] = .string(newValue) }
  }

  /// URI, required.
  public var uriRequired: URL? {
    get { if case .uri(let value) = self["uriRequired"] { value } else { nil } }
    set { self["uriRequired"] = newValue.map { Seedbed.Value.uri($0) } ?? .null }
  }

  /// UUID, required.
  public var uuidRequired: UUID? {
    get { if case .uuid(let value) = self["uuidRequired"] { value } else { nil } }
    set { self["uuidRequired"] = newValue.map { Seedbed.Value.uuid($0) } ?? .null }
  }
}
