// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Core Data's name of `MergePolicy.Kind`.
public typealias MergePolicyType = MergePolicy.Kind

/// Core Data's names of the kinds.
extension MergePolicy.Kind {
  /// `error`
  public static var errorMergePolicyType: Self { .error }
  /// `mergeByPropertyStoreTrump`
  public static var mergeByPropertyStoreTrumpMergePolicyType: Self { .mergeByPropertyStoreTrump }
  /// `mergeByPropertyObjectTrump`
  public static var mergeByPropertyObjectTrumpMergePolicyType: Self { .mergeByPropertyObjectTrump }
  /// `overwrite`
  public static var overwriteMergePolicyType: Self { .overwrite }
  /// `rollback`
  public static var rollbackMergePolicyType: Self { .rollback }
}

extension MergePolicy {
  /// `kind`
  public var mergeType: Kind { kind }
}

/// `MergePolicy.error`
public let ErrorMergePolicy = MergePolicy.error
/// `MergePolicy.mergeByPropertyStoreTrump`
public let MergeByPropertyStoreTrumpMergePolicy = MergePolicy.mergeByPropertyStoreTrump
/// `MergePolicy.mergeByPropertyObjectTrump`
public let MergeByPropertyObjectTrumpMergePolicy = MergePolicy.mergeByPropertyObjectTrump
/// `MergePolicy.overwrite`
public let OverwriteMergePolicy = MergePolicy.overwrite
/// `MergePolicy.rollback`
public let RollbackMergePolicy = MergePolicy.rollback
