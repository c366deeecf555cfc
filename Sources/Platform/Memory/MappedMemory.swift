/// Memory that is mapped to a file, so that the system can write it out and read it again when it needs the room.
@safe package final class MappedMemory: @unchecked Sendable {
  /// The address of the first byte.
  @unsafe package let base: UnsafeMutableRawPointer
  /// The number of bytes that are mapped.
  package let count: Int

  // Safety: the bytes are mapped until this object goes; its owner hands out no pointer that lives longer.
  private init(_ base: UnsafeMutableRawPointer, count: Int) {
    unsafe self.base = unsafe base
    self.count = count
  }

  deinit { unsafe munmap(base, count) }

  /// Maps a whole file for reading; nil when it is empty.
  ///
  /// The descriptor that this takes is closed again, and with it the system drops all locks that the process has on the
  /// file: for files that are open nowhere else.
  package static func file(_ path: String) throws(SystemError) -> MappedMemory? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open", path) }
    // The mapping stays when the file is closed.
    defer { FileDescriptor.close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError("look at", path) }
    if status.st_size <= 0 { return nil }
    let mapped = unsafe mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { throw SystemError("map", path) }
    return unsafe MappedMemory(mapped, count: Int(status.st_size))
  }

  /// Zeroed bytes of a nameless temporary file, all of which has its place on the disk.
  /// - Parameter prefix: how the file's name begins while it has one.
  /// - Returns: nil when there is no room for it.
  package static func temporary(prefix: String, count: Int) -> MappedMemory? {
    guard let descriptor = TemporaryFile.open(prefix: prefix) else { return nil }
    defer { FileDescriptor.close(descriptor) }
    // Without blocks of its own behind every page, a full disk would end the process at a later write into the mapping.
    guard allocate(count, of: descriptor), ftruncate(descriptor, off_t(count)) == 0,
      let base = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe base != MAP_FAILED
    else { return nil }
    return unsafe MappedMemory(base, count: count)
  }

  /// Gives a file blocks on disk.
  /// - Returns: false when there is no room.
  private static func allocate(_ count: Int, of descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      var request = fstore_t(
        fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(count),
        fst_bytesalloc: 0)
      return unsafe fcntl(descriptor, F_PREALLOCATE, &request) == 0
    #else
      return posix_fallocate(descriptor, 0, off_t(count)) == 0
    #endif
  }
}
