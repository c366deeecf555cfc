// Made once by Seedbed from a data model. Change it as you like: it is not made again.

public import Seedbed

/// An object of the entity Artist, with members of the program.
open class Artist: ManagedObject {
  var awakenings = 0
  var savedNames: [Swift.String] = []

  var signature: Swift.String { name.prefix(1) + "." }

  open override func awakeFromInsert() {
    super.awakeFromInsert()
    awakenings += 1
    name = "Unknown"
  }

  open override func didSave() {
    savedNames.append(name)
  }
}
