import Platform
import StoreInterface

/// Checks the names of a copy and of the files beside it: none may be a file of the source, and a file with the name of
/// a log must be a log.
enum StoreCopierNames {
  /// - Throws: `StoreError.cannotCreate`.
  static func check(_ target: String, source: String, _ options: StoreCopier.Options) throws(StoreError) {
    let place = ResultPath.followed(target)
    let read = [source, ResultPath.followed(source)].flatMap { Sidecar.files(of: $0) }
    let names = Set(read.map { ResultPath.resolved($0) })
    let files = Set(read.compactMap { FileIdentity($0) })
    let isRead = { (path: String) in
      names.contains(ResultPath.resolved(path)) || FileIdentity(path).map { files.contains($0) } ?? false
    }
    let external = ResultPath.resolved(StorePlace.externalDataFolder(of: source)) + "/"
    if ResultPath.resolved(place).hasPrefix(external) {
      throw .cannotCreate(path: target, message: "lies in the folder of the source's external data")
    }
    try checkExternalData(target, source: source)
    if isRead(target) { throw .cannotCreate(path: target, message: "is a name of the source's own log") }
    let work = ResultPath.resolved(WorkFolder.path(for: place)) + "/"
    if names.contains(where: { $0.hasPrefix(work) }) {
      throw .cannotCreate(
        path: target,
        message: "the source lies in \(WorkFolder.path(for: place)), where the copy is made and which goes")
    }
    for sidecar in StoreSidecar.all(of: target) {
      let what = "\(sidecar.path) has the name of its log and is "
      if isRead(sidecar.path) { throw .cannotCreate(path: target, message: what + "a file of the source") }
      switch sidecar.obstacle {
      case nil: continue
      case .foreignFile where options.replacesForeign: continue
      case .some(let obstacle): throw .cannotCreate(path: target, message: what + obstacle.text)
      }
    }
  }

  /// Checks the place of the files of external data, where the source has any.
  private static func checkExternalData(_ target: String, source: String) throws(StoreError) {
    let other = StorePlace.storeSharingExternalData(with: target)
    let obstacle = StorePlace.externalDataObstacle(of: target)
    guard other != nil || obstacle != nil, (try? StorePlace.externalFiles(of: source))?.isEmpty != true else { return }
    if let other {
      throw .cannotCreate(
        path: target,
        message: "has the name of \(other) but for its ending, and both would have their external data in one folder")
    }
    if let obstacle {
      throw .cannotCreate(
        path: target,
        message: "\(obstacle.path) is \(obstacle.text), where the folder of its external data would be; move it away")
    }
  }
}
