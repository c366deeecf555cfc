/// Everything that a program needs to work with Core Data stores, with one import: models and their files, stores,
/// contexts and fetch requests. Foundation comes with them, as it does with Core Data.
@_exported public import CoreDataLayout
@_exported public import Diagnostics
@_exported public import Diagrams
@_exported public import FileStores
@_exported public import Foundation
@_exported public import MemoryStore
@_exported public import Migration
@_exported public import ModelFiles
@_exported public import ObjectGraph
@_exported public import ObjectModel
@_exported public import Predicates
@_exported public import PropertyLists
@_exported public import SQLMigration
@_exported public import StoreInterface
