// One import is enough for a program that runs pipelines.

@_exported public import Exports
@_exported public import Pipelines
@_exported public import Reports
