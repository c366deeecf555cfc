// Made once by Seedbed from a data model. Change it as you like: it is not made again.

public import Seedbed

/// An object of the entity City.
open class City: ManagedObject {
  // Its properties are in City+Properties.swift. Here is room for more, and for what happens
  // to an object: awakeFromInsert(), awakeFromFetch(), willSave(), validateForUpdate(), prepareForDeletion().
}
