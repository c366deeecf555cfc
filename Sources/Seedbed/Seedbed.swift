/// Everything that a program needs to work with Core Data stores, with one import: models and their files, stores,
/// contexts and fetch requests.
@_exported public import FileStores
@_exported public import ModelFiles
@_exported public import ObjectGraph
@_exported public import ObjectModel
@_exported public import PropertyLists
@_exported public import SQLiteStore
@_exported public import StoreInterface
