import CoreDataLayout

extension ImportStep.OnMatch {
  /// The same rule in the store's terms.
  var storeForm: UpsertOptions.OnMatch {
    switch self {
    case .update: .update
    case .keep: .keep
    case .fail: .fail
    case .replace: .replace
    }
  }
}
