import Foundation
import Seedbed

/// Every public type of the engine, as a program writes it that imports Foundation and Seedbed: without a module's
/// name. A test compares the list with the sources.
enum EveryEngineType {
  static let all: [Any.Type] = [
    AccessorGenerator.self, ArchivedContent.self, AsynchronousFetchRequest<ManagedObject>.self,
    AsynchronousFetchResult<ManagedObject>.self,
    AtomicStore<BinaryStoreFormat>.self, (any AtomicStoreFormat).self, AtomicStoreType<BinaryStoreFormat>.self,
    (any AttributeConvertible).self, AttributeDescription.self, AttributeType.self, AttributeValidator.self,
    BinaryStoreFormat.self,
    CachedModelReader.self, ChangedRows.self, CompiledModelReader.self, ConstraintConflict.self, ContentDigest.self,
    ContextChangeIDs.self, ContextChanges.self, ContextError.self, ContextUndoManager.self, CoreDataErrorCode.self,
    CoreDataErrorKey.self, DanglingReference.self, DeleteRule.self, DerivedAttribute.self, EncodedRows.self,
    Entity.self, EntityDescription.self, EntityDiagram.self, ExpressionDescription.self, ExpressionScope.self,
    ExpressionType.self, ExpressionValue.self, ExternalFiles.self, FetchExpression.self, FetchIndexDescription.self,
    FetchMonitor.self, FetchPredicate.self, FetchRequest<ManagedObject>.self, (any FetchRequestResult).self,
    FetchRequestResultType.self, FetchRequestTemplate.self, FetchSortDescriptor.self, FetchSpecification.self,
    FetchedExpression.self,
    FetchedObjects<ManagedObject>.self, (any FetchedProperty).self, FetchedPropertyDescription.self,
    FetchedResultsChangeType.self,
    FetchedResultsController<ManagedObject>.self, (any FetchedResultsControllerDelegate).self, FetchedResultsError.self,
    FetchedResultsDifference.self, FetchedResultsDifference.Move.self, FetchedResultsSectionInfo<ManagedObject>.self,
    FetchedResultsSnapshot.self, FetchedRows.self, ForeignTrigger.self,
    FrameworkGeneration.self, FrameworkRelease.self, HashComparison.self, HistoryRange.self, InMemoryStore.self,
    InMemoryStoreType.self, IncrementalStore.self, IncrementalStoreNode.self, IndexLayout.self, JoinTable.self,
    LightweightMigration.self, LocalizedOrder.self, ManagedObject.self, ManagedObjectContext.self,
    ManagedObjectModel.self, MappingModel.self, MappingModelFile.self, MappingModelReader.self,
    EntityMapping.self, PropertyMapping.self, MemberConflict.self, MergeConflict.self, MergePolicy.self, ModelCache.self,
    ModelDifference.self, ModelError.self, ModelFile.self, ModelReader.self, ModelValidation.self, ModelVersions.self,
    ModelWriter.self, MutableRelationship.self, (any MonitoredFetching).self, ObjectID.self, PersistentContainer.self,
    (any PersistentStore).self, (any InMemoryFetching).self, PredicateBlock.self, (any PropertyKeyPath).self,
    PersistentStoreCoordinator.self, PersistentStoreDescription.self, (any PersistentStoreType).self, Placement.self,
    (any PredicateArgument).self, PredicateCheckError.self, PredicateConversionError.self, PredicateFormatError.self,
    (any PredicateSubject).self, PredicateWords.self, PropertyListValue.self, (any PropertyNaming).self,
    PropertyValue.self, RecordEncoder.self, RecordFileFormat.self, RecordFileStore.self, RecordFolderType.self,
    RecordShape.self, ReferenceObject.self, Relationship.self, RelationshipDescription.self, RowBatch.self,
    RowComparison.self, RowOutcome.self, SQLiteStore.self, SQLiteStoreType.self, SaveConflictError.self,
    SaveRequest.self, SealFinish.self, SealVerification.self, SealedJournal.self, Snapshot.self, SnapshotBlock.self,
    SnapshotEvents.self, StoreChecker.self, StoreContents.self, StoreCopier.self, StoreError.self, StoreReader.self,
    StoreFinding.self, StoreInspection.self, StoreLayout.self, StoreMetadata.self, StoreReplacement.self,
    StoreReport.self, StoreSidecar.self, StoreStamp.self, StoredAttribute.self, TableLayout.self, TextFolding.self,
    TextPattern.self, TriggerLayout.self, (any TwoPhaseSaving).self, UpsertOptions.self, ValidationError.self,
    Value.self, ValueTuple.self,
    VersionInfo.self, WorkFolder.self, XMLStoreFormat.self,
  ]
}
