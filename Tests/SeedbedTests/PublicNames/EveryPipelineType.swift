import ChangeFiles
import Dumps
import Exports
import Foundation
import ImportEngine
import Pipelines
import Reports
import ResultFiles
import SeedFormats
import Seedbed
import StoreModels

/// Every public type of pipelines and seed formats, as a program writes it that imports Foundation and Seedbed too. A
/// test compares the list with the sources.
enum EveryPipelineType {
  static let all: [Any.Type] = unsafe [
    BatchScanner.self, (any BlockSource).self, ByteBlock.self, (any ByteSink).self, Cancellation.self,
    CellColumn.self, ChangeApplication.self, ChangedExport.self, CSVWriter.self, DataArgument.self,
    DateFormatError.self, DateParser.self, DateText.self, DurationParser.self, ExplainedFetch.self, ExportReport.self,
    ExportStep.self, (any FieldAccess).self, FieldSlice.self, FileBlockSource.self, FileKind.self, FilePosition.self,
    FileSink.self, FormatOptions.self, GzipSink.self, HarmlessText.self, HistoryStart.self, ImportStep.self,
    InflatingBlockSource.self, InflationLimit.self, JSONElement.self, JSONFields.self, JSONPointerLocator.self,
    JSONValue.self, LookupSettings.self, MapEntry.self, MappedAttribute.self, MappedObjects.self,
    MappedReference.self, MapValue.self, MembersGiven.self, MemoryBudget.self, NDJSONWriter.self, Outcome.self,
    OutcomeCounts.self, OutputCheck.self, PipelineCheck.self, PipelineDocumentation.self, PipelineError.self,
    PipelineExplainer.self, PipelineExplanation.self, PipelineFile.self, PipelineLinter.self, PipelineProblem.self,
    PipelineReader.self, PipelineRun.self, PipelineSchema.self, ProjectFolder.self, RecordBatch.self,
    RecordExpression.self, RecordExpressionError.self, RecordExpressionEvaluator.self, RecordExpressionFailure.self,
    RecordExpressionParser.self, RecordExpressionValue.self, RecordPlace.self, RecordReader.self, Reject.self,
    RejectGroup.self, RejectSettings.self, ReportPlace.self, RunCounts.self, RunError.self, RunProgress.self,
    RunReport.self, SeedFile.self, SeedFormatError.self, SeedPlace.self, SourceNote.self, SourceSettings.self,
    Stage.self, StageReport.self, StepExpectation.self, StepReport.self, StoreDump.self, StoreExpectation.self,
    StoreExport.self, StoreHistory.self, StoreModel.self, StoreSettings.self, TextColumns.self, TextNotices.self,
    TextResults.self, TranscodingBlockSource.self, UnreadableRecord.self, ValueTrial.self, Windows1252.self,
    YAMLText.self, ZipArchive.self, ZipMemberBytes.self,
  ]
}
