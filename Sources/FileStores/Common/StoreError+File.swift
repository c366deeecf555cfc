import SeedFormats
import StoreInterface

extension StoreError {
  /// Does what reads a file, and names the file in what goes wrong with its contents.
  static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch StoreError.failure(let message) {
      throw StoreError.notAStore(path: path, message: message)
    }
  }

  /// What went wrong with the records of a file.
  static func ofRecords(_ error: any Error) -> StoreError {
    switch error {
    case let error as SeedFormatError: .failure(error.description)
    case let error as StoreError: error
    default: .failure("\(error)")
    }
  }
}
