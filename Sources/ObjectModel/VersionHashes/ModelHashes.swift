import Crypto
import Foundation

/// The version hashes of a model, computed once when the model is made.
///
/// All hashes are SHA-256, strings enter as UTF-8 without a terminator, integers little-endian.
struct ModelHashes: Sendable {
  /// The version hashes by the position of the entity.
  let entities: [Data]
  /// The rules behind each entity's hash that are not confirmed, by the position of the entity.
  let unconfirmed: [[String]]
  let digest: String
  let checksum: String

  init(_ definitions: [EntityDefinition], _ resolved: ResolvedModel, stored: [String: Data]) {
    var hashes = [Data](repeating: Data(), count: definitions.count)
    var reasons = [[String]](repeating: [], count: definitions.count)
    let parents = resolved.entities.map(\.parent)
    for index in ResolvedModel.parentsFirst(parents) {
      let parent = parents[index]
      var rules = HashRules()
      hashes[index] = rules.entity(
        definitions[index], resolved.entities[index], parentHash: parent.map { hashes[$0] })
      var known = parent.map { reasons[$0] } ?? []
      for reason in rules.unconfirmed where !known.contains(reason) { known.append(reason) }
      if !known.isEmpty, let hash = stored[definitions[index].name] {
        hashes[index] = hash
        known = []
      }
      reasons[index] = known
    }
    entities = hashes
    unconfirmed = reasons
    var named = SHA512()
    var bare = SHA256()
    // `definitions` is sorted by name by code point, as both sums need it.
    for (description, hash) in zip(definitions, hashes) {
      named.update(data: Data(description.name.utf8))
      named.update(data: hash)
      bare.update(data: hash)
    }
    digest = Data(named.finalize()).base64EncodedString()
    checksum = Data(bare.finalize()).base64EncodedString()
  }
}
