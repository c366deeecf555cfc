// Made once by Seedbed from a data model. Change it as you like: it is not made again.

import Seedbed

/// An object of the entity Painting.
open class Painting: Work {
  // Its properties are in Painting+Properties.swift. Here is room for more, and for what happens
  // to an object: awakeFromInsert(), awakeFromFetch(), willSave(), validateForUpdate(), prepareForDeletion().
}
