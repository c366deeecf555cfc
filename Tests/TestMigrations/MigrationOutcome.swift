/// What came of an edit of a random model.
package enum MigrationOutcome {
  case migrated, refused, notInferred, notAModel, failed
}
