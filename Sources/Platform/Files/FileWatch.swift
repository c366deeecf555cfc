package import Dispatch
import Synchronization

/// Reports that files of one folder were written, made, removed, or got another name. It opens none of them where the
/// system allows that, and does not poll.
///
/// Writes of another computer to a shared folder are not noticed.
package final class FileWatch: @unchecked Sendable {
  // Dispatch sources may be used from any thread, though their types are not `Sendable` everywhere.
  #if canImport(Darwin)
    private let sources: FolderSources
  #else
    private let source: any DispatchSourceRead
  #endif

  /// - Parameters:
  ///   - folder: where the files are, or will be; it must exist.
  ///   - names: the names of the files.
  ///   - queue: where `changed` is called; several changes may be told by one call.
  /// - Throws: `SystemError` when the folder cannot be watched.
  package init(
    folder: String, names: Set<String>, queue: DispatchQueue, changed: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    #if canImport(Darwin)
      sources = try FolderSources(folder: folder, names: names, queue: queue, changed: changed)
    #else
      let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard descriptor >= 0 else { throw SystemError("watch the folder", folder) }
      let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE
      guard unsafe inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 else {
        let error = SystemError("watch the folder", folder)
        FileDescriptor.close(descriptor)
        throw error
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { if FileWatch.drain(descriptor, names) { changed() } }
      source.setCancelHandler { FileDescriptor.close(descriptor) }
      self.source = source
      source.activate()
    #endif
  }

  deinit { cancel() }

  /// Ends it. A call that is under way may still come to its end.
  package func cancel() {
    #if canImport(Darwin)
      sources.cancel()
    #else
      source.cancel()
    #endif
  }

  #if !canImport(Darwin)
    /// Takes all events that are there.
    /// - Returns: whether one was of a file with one of these names, or events were lost.
    private static func drain(_ descriptor: Int32, _ names: Set<String>) -> Bool {
      var isWanted = false
      unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
        while true {
          let count = unsafe systemRead(descriptor, buffer)
          if count <= 0 { return }
          var offset = 0
          while offset < count {
            // Safety: the system writes whole events only, each with `len` bytes behind it, so both lie within `count`.
            let event = unsafe buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let start = offset + MemoryLayout<inotify_event>.size
            let bytes = unsafe Array(buffer[start..<(start + Int(event.len))])
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            let isLoss = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            if isLoss || names.contains(name) { isWanted = true }
            offset = start + Int(event.len)
          }
        }
      }
      return isWanted
    }
  #endif
}

#if !canImport(Darwin)
  private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(descriptor, bytes.baseAddress, bytes.count)
  }
#endif

#if canImport(Darwin)
  /// The folder and those of its files that are there, each with a source. What the folder tells is that names came or
  /// went: then the files are looked for anew.
  private final class FolderSources: @unchecked Sendable {
    /// Sources can be used from any thread, which their protocol does not say.
    private struct Source: @unchecked Sendable { let object: any DispatchSourceFileSystemObject }

    private struct State {
      var files: [String: Source] = [:]
      var isCancelled = false
    }

    private let folder: String
    private let names: Set<String>
    private let queue: DispatchQueue
    private let changed: @Sendable () -> Void
    private let source: any DispatchSourceFileSystemObject
    private let state = Mutex(State())

    init(
      folder: String, names: Set<String>, queue: DispatchQueue, changed: @escaping @Sendable () -> Void
    ) throws(SystemError) {
      self.folder = folder
      self.names = names
      self.queue = queue
      self.changed = changed
      let descriptor = unsafe open(folder, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemError("watch the folder", folder) }
      source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .rename, .delete], queue: queue)
      source.setCancelHandler { FileDescriptor.close(descriptor) }
      source.setEventHandler { [weak self] in self?.namesChanged() }
      watchFiles()
      source.activate()
    }

    func cancel() {
      source.cancel()
      let files = state.withLock { state in
        state.isCancelled = true
        defer { state.files = [:] }
        return state.files
      }
      for file in files.values { file.object.cancel() }
    }

    private func namesChanged() {
      watchFiles()
      changed()
    }

    private func watchFiles() {
      state.withLock { state in
        if state.isCancelled { return }
        for name in names where state.files[name] == nil {
          let descriptor = unsafe open(folder + "/" + name, O_EVTONLY | O_CLOEXEC)
          if descriptor < 0 { continue }
          let file = Source(
            object: DispatchSource.makeFileSystemObjectSource(
              fileDescriptor: descriptor, eventMask: [.write, .extend, .rename, .delete], queue: queue))
          // A plain close would take SQLite's locks away.
          file.object.setCancelHandler { OpenFiles.close(descriptor) }
          file.object.setEventHandler { [weak self] in
            guard let self else { return }
            if !file.object.data.isDisjoint(with: [.rename, .delete]) { self.forget(name) }
            self.changed()
          }
          state.files[name] = file
          file.object.activate()
        }
      }
    }

    /// Its name is free, or another file's.
    private func forget(_ name: String) {
      state.withLock { $0.files.removeValue(forKey: name) }?.object.cancel()
      watchFiles()
    }
  }
#endif
