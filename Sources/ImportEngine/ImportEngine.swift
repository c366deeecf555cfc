// One import is enough for a program that runs pipelines.

@_exported public import Dumps
@_exported public import Exports
@_exported public import Pipelines
@_exported public import Reports
@_exported public import ResultFiles
@_exported public import StoreModels
