import Foundation
import Platform
import StoreInterface

/// The folder beside a result, `<result>.partial`, in which the result is made before it takes its place.
///
/// A file in it, the marker, says whose folder it is, and is locked as long as it is in use. So the leftovers of a
/// killed run differ from a folder of the user's, which is never touched, and from one that is in use.
public final class WorkFolder {
  /// Name of the marker. It is removed last: a folder that still holds anything has it.
  public static let markerName = ".seedbed"
  private static let markerText = "Seedbed makes a result here. When nothing runs any more, this folder may go.\n"

  /// The path of the folder that results are made in.
  public let path: String
  private let marker: Int32
  /// Whether the folder was there before, empty; it is kept then.
  private let wasThere: Bool
  private var isGone = false

  /// The folder for a result.
  public static func path(for result: String) -> String { result + ".partial" }

  /// Makes the folder. What an earlier run left there is removed.
  /// - Throws: `StoreError.cannotCreate` when something else has its name, `StoreError.busy` when it is in use.
  public init(for result: String) throws {
    path = WorkFolder.path(for: result)
    if unsafe mkdir(path, 0o777) == 0 {
      wasThere = false
    } else if errno == EEXIST {
      wasThere = try WorkFolder.clear(path, result)
    } else {
      throw WorkFolder.failure(path, "make the folder", errno)
    }
    let name = path + "/" + WorkFolder.markerName
    marker = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard marker >= 0 else {
      let number = errno
      if !wasThere { _ = unsafe rmdir(path) }
      if number == EEXIST { throw StoreError.busy(path: result) }
      throw WorkFolder.failure(name, "make the file", number)
    }
    let isLocked: Bool
    do throws(SystemError) {
      isLocked = try FileLock.acquire(marker, of: name)
    } catch {
      if FileDescriptor.isFile(marker, at: name) { _ = unsafe unlink(name) }
      if !wasThere { _ = unsafe rmdir(path) }
      throw StoreError(error)
    }
    guard isLocked, FileDescriptor.isFile(marker, at: name) else {
      // Another run took the marker for a leftover of a killed run, before it was locked.
      throw StoreError.busy(path: result)
    }
    do throws(SystemError) {
      try FileDescriptor.write(marker, Array(WorkFolder.markerText.utf8), to: name)
    } catch {
      remove()
      throw StoreError(error)
    }
  }

  deinit { close(marker) }

  /// Checks the place of the folder for a result; nothing is made or removed.
  /// - Throws: `StoreError.cannotCreate` when something else has the folder's name, as `init` does.
  package static func requirePlace(for result: String) throws {
    let path = path(for: result)
    let content = PathContent(at: path)
    if !PathContent.isLink(path), content == .nothing { return }
    _ = try isUsable(path)
  }

  /// Removes the folder with all that is in it, once: another run may make it anew.
  public func remove() {
    if isGone { return }
    isGone = true
    WorkFolder.empty(path, removesFolder: !wasThere)
  }

  /// Removes what a killed run left beside a result. A folder that is in use, or was not made here, stays.
  public static func removeLeftovers(for result: String) {
    let path = path(for: result)
    guard !PathContent.isLink(path), case .folder = PathContent(at: path), (try? isOurs(path)) == true,
      (try? clear(path, result)) == false
    else { return }
    _ = unsafe rmdir(path)
  }

  /// Puts back what a killed run had set aside in the folder to put its result in that place.
  /// - Parameter name: its name in the folder.
  /// - Throws: `StoreError.busy` when a run is making the result.
  package static func putBack(_ name: String, to result: String) throws {
    let path = path(for: result)
    guard try isUsable(path) else { return }
    try locked(path, result) { try StoreFiles.rename(path + "/" + name, to: result) }
  }

  /// Whether a folder is one of these; nil when it is empty, which may be what is left of one.
  /// - Throws: `StoreError` when the system does not let it be read, which says nothing about whose it is.
  private static func isOurs(_ path: String) throws -> Bool? {
    guard let folder = unsafe opendir(path) else { throw failure(path, "read the folder", errno) }
    unsafe closedir(folder)
    guard let names = try? FileSystem.listing(of: path) else { return false }
    if names.isEmpty { return nil }
    let marker = unsafe open(path + "/" + markerName, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard marker >= 0 else {
      if [ENOENT, ELOOP].contains(errno) { return false }
      throw failure(path + "/" + markerName, "read the file", errno)
    }
    defer { close(marker) }
    guard case .file = PathContent(descriptor: marker) else { return false }
    var bytes = [UInt8](repeating: 0, count: markerText.utf8.count)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in unsafe try FileDescriptor.read(marker, into: bytes, at: 0, of: path) }
    }
    switch count {
    // A run may have been killed before it had written the whole marker.
    case .success(let count):
      return markerText.utf8.starts(with: bytes.prefix(count)) && (count > 0 || names.count == 1)
    case .failure(let error): throw StoreError(error)
    }
  }

  /// - Throws: `StoreError.cannotCreate` when the path names anything but a folder of this kind.
  /// - Returns: false for an empty folder.
  private static func isUsable(_ path: String) throws -> Bool {
    let content = PathContent.isLink(path) ? "a symbolic link" : PathContent(at: path).text
    guard content == PathContent.folder.text else { throw foreign(path, content) }
    switch try isOurs(path) {
    case nil: return false
    case false?: throw foreign(path, "a folder that Seedbed did not make")
    case true?: return true
    }
  }

  /// - Throws: `StoreError.cannotCreate` when the path names anything but a folder of this kind.
  /// - Returns: whether it was an empty folder.
  private static func clear(_ path: String, _ result: String) throws -> Bool {
    guard try isUsable(path) else { return true }
    try locked(path, result) { empty(path, removesFolder: true) }
    if unsafe mkdir(path, 0o777) != 0 {
      throw failure(path, "make the folder", errno)
    }
    return false
  }

  /// Does something with a folder of this kind that no run makes a result in.
  /// - Throws: `StoreError.busy` when one does.
  private static func locked(_ path: String, _ result: String, _ body: () throws -> Void) throws {
    let name = path + "/" + markerName
    let marker = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if marker < 0, errno != ENOENT { throw failure(name, "open the file", errno) }
    defer { if marker >= 0 { close(marker) } }
    var isLocked = true
    do throws(SystemError) {
      if marker >= 0 { isLocked = try FileLock.acquire(marker, of: name) }
    } catch {
      throw StoreError(error)
    }
    guard isLocked else { throw StoreError.busy(path: result) }
    try body()
  }

  /// The error of a call: `cannotCreate`, or `inputOutput` where the system itself failed.
  private static func failure(_ path: String, _ action: String, _ number: Int32) -> StoreError {
    let message = "cannot \(action): \(unsafe String(cString: strerror(number)))"
    let isSystem = [EIO, EMFILE, ENFILE, ENOMEM].contains(number)
    return isSystem ? .inputOutput(path: path, message: message) : .cannotCreate(path: path, message: message)
  }

  private static func foreign(_ path: String, _ what: String) -> StoreError {
    .cannotCreate(path: path, message: "is \(what), and the result is made in a folder of that name; move it away")
  }

  /// Removes what is in a folder. Where not all of it can be removed (too few open files, say), the marker stays, so
  /// that the next run can tell whose folder it is.
  private static func empty(_ path: String, removesFolder: Bool) {
    guard let names = try? FileSystem.listing(of: path) else { return }
    var isEmpty = true
    for name in names where name != markerName {
      do { try FileManager.default.removeItem(atPath: path + "/" + name) } catch { isEmpty = false }
    }
    guard isEmpty else { return }
    _ = unsafe unlink(path + "/" + markerName)
    if removesFolder { _ = unsafe rmdir(path) }
  }
}
