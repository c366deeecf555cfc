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
    ChangeApplication.self, ChangedExport.self,
    AttributeMapping.self, BatchScanner.self, (any BlockSource).self, ByteBlock.self, (any ByteSink).self,
    CSVWriter.self, Cancellation.self, CellColumn.self, DataArgument.self, DateFormatError.self, DateParser.self,
    DateText.self, DurationParser.self, ExportReport.self, ExportStep.self, (any FieldAccess).self, FieldSlice.self,
    FileBlockSource.self, FileKind.self, FilePosition.self, FileSink.self, FormatOptions.self, GzipSink.self,
    HarmlessText.self, ImportStep.self, InflatingBlockSource.self, InflationLimit.self, JSONElement.self,
    JSONFields.self,
    JSONPointerLocator.self, JSONValue.self, LookupSettings.self, MapEntry.self, Mapping.self, MembersGiven.self,
    MemoryBudget.self,
    NDJSONWriter.self, NestedMapping.self, Outcome.self, OutcomeCounts.self, OutputCheck.self, PipelineCheck.self,
    PipelineDocumentation.self, PipelineError.self, PipelineFile.self, PipelineLinter.self, PipelineProblem.self,
    PipelineReader.self, PipelineRun.self, PipelineSchema.self, ProjectFolder.self, RecordBatch.self,
    RecordExpression.self, RecordExpressionError.self, RecordExpressionEvaluator.self, RecordExpressionFailure.self,
    RecordExpressionParser.self, RecordExpressionValue.self, UnreadableRecord.self, RecordPlace.self, RecordReader.self,
    ReferenceMapping.self, Reject.self, RejectGroup.self, RejectSettings.self, ReportPlace.self, RunError.self,
    RunProgress.self, RunReport.self, RunCounts.self, SeedFile.self, SeedFormatError.self, SeedPlace.self,
    SourceNote.self,
    SourceSettings.self, Stage.self, StageReport.self, StepExpectation.self, StepReport.self, StoreDump.self,
    StoreExpectation.self, StoreExport.self, ExplainedFetch.self, PipelineExplainer.self, PipelineExplanation.self,
    StoreHistory.self, HistoryStart.self,
    StoreModel.self, StoreSettings.self,
    TextColumns.self,
    TextNotices.self,
    TextResults.self, TranscodingBlockSource.self, ValueTrial.self, Windows1252.self, YAMLText.self, ZipArchive.self,
    ZipMemberBytes.self,
  ]
}
