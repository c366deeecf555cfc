import Foundation

/// JSON as it was read, with numbers that are whole kept apart from others.
enum JSONContent: Decodable, Hashable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONContent])
  case object([String: JSONContent])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .boolean(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let elements = try? container.decode([JSONContent].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONContent].self))
    }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  var array: [JSONContent]? { if case .array(let elements) = self { elements } else { nil } }
  var object: [String: JSONContent]? { if case .object(let members) = self { members } else { nil } }
}
