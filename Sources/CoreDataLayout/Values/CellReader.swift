import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Reads rows of a statement into row batches. What each column needs is found out once, so that a cell costs its two
/// calls of SQLite and a store.
///
/// What its unsafe code relies on: the batch has the columns that the reader was made for, at `positions`, and room for
/// the row. Bytes that SQLite gives are copied before the statement is asked for anything else, and the batch's arena
/// is asked for anew with each value, as it moves when it grows.
final class CellReader {
  /// How a column is read.
  private enum Form {
    case integer, real, bytes, entityIndex
    /// Values that take more than a copy: Decimal, and data that may lie outside.
    case converted
  }

  private let file: StoreFile
  private let externalData: ExternalDataFolder
  private let attributes: [AttributeDefinition?]
  private let forms: [Form]
  private let positions: [Int]
  /// Called with the column in the batch and the file's name for a value whose file is not there, which is null then;
  /// nil: such a value is an error.
  private let onMissingFile: ((_ column: Int, _ name: String) -> Void)?

  /// - Parameters:
  ///   - columns: of the batches, in the statement's order.
  ///   - attributes: per column; nil for those of relationships.
  ///   - positions: where in the batches the columns are; their own order when nil.
  init(
    _ session: StoreSession, columns: [RowBatch.Column], attributes: [AttributeDefinition?], positions: [Int]? = nil,
    onMissingFile: ((_ column: Int, _ name: String) -> Void)? = nil
  ) {
    self.onMissingFile = onMissingFile
    self.positions = positions ?? Array(columns.indices)
    file = session.file
    externalData = session.externalData
    self.attributes = attributes
    forms = zip(columns, attributes).map { column, attribute in
      switch column.storage {
      case .integer:
        if case .toOneEntity = column.source { return .entityIndex }
        return .integer
      case .real: return .real
      case .bytes:
        let isPlain = attribute?.type != .decimal && attribute?.allowsExternalBinaryDataStorage != true
        return isPlain ? .bytes : .converted
      }
    }
  }

  /// Whether every value is taken as it is stored.
  var isCopying: Bool {
    forms.allSatisfy { form in
      switch form {
      case .integer, .real, .bytes: true
      case .entityIndex, .converted: false
      }
    }
  }

  /// Reads the statement's current row into a row of the batch; the batch's count stays.
  /// - Parameter first: the statement's column for the batch's first.
  func read(_ statement: Statement, from first: Int32, into batch: RowBatch, row: Int) throws {
    for index in 0..<forms.count {
      let source = first + Int32(truncatingIfNeeded: index)
      let position = positions[index]
      if statement.isNull(at: source) {
        unsafe batch.states[position][row] = RowBatch.State.null.rawValue
        continue
      }
      unsafe batch.states[position][row] = RowBatch.State.value.rawValue
      switch forms[index] {
      case .integer: unsafe batch.integers(position)[row] = statement.int64(at: source)
      case .real: unsafe batch.reals(position)[row] = statement.double(at: source)
      case .bytes:
        let bytes = unsafe statement.rawBytes(at: source)
        unsafe batch.slices(position)[row] = CellReader.append(bytes, to: batch)
      case .entityIndex:
        unsafe batch.integers(position)[row] = Int64(try file.entity(numbered: statement.int64(at: source)).index)
      case .converted: try convert(statement, source, attributes[index], into: batch, position, row)
      }
    }
  }

  private func convert(
    _ statement: Statement, _ source: Int32, _ attribute: AttributeDefinition?, into batch: RowBatch, _ column: Int,
    _ row: Int
  ) throws {
    guard let attribute else { return }
    let bytes: [UInt8]
    if attribute.type == .decimal {
      bytes = Array(ValueCoding.decimalText(statement, source).utf8)
    } else if let note = onMissingFile,
      let name = unsafe try externalData.missingFile(statement.rawBytes(at: source))
    {
      unsafe batch.states[column][row] = RowBatch.State.null.rawValue
      return note(column, name)
    } else {
      bytes = unsafe try externalData.decode(statement.rawBytes(at: source), storePath: file.path)
    }
    unsafe bytes.withUnsafeBytes { unsafe batch.slices(column)[row] = CellReader.append($0, to: batch) }
  }

  @inline(__always)
  private static func append(_ bytes: UnsafeRawBufferPointer, to batch: RowBatch) -> RowBatch.Slice {
    guard let start = bytes.baseAddress else { return RowBatch.Slice(offset: 0, length: 0) }
    return unsafe batch.append(start, count: bytes.count)
  }
}
