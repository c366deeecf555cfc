import SeedFormats

/// Adds the bytes of a file that have been read, before they are inflated, to the run's progress.
final class CountingBlockSource: BlockSource {
  private let upstream: any BlockSource
  private let progress: RunProgress
  private let meter: StageMeter

  init(_ upstream: any BlockSource, progress: RunProgress, meter: StageMeter) {
    self.upstream = upstream
    self.progress = progress
    self.meter = meter
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let count = try unsafe upstream.read(into: target)
    progress.add(bytes: count)
    meter.add(bytes: count)
    return count
  }
}
