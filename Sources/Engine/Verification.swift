import Core
import Crypto
import Posix

/// Reads a finished part file again, a slice at a time, and compares its digests with what was promised: what is
/// proven is what is on the disk, not what came over the wire.
///
/// `@unchecked Sendable`: the store's thread advances it, the network's thread reads the result once it is done.
final class Verification: @unchecked Sendable {
  let part: PartFile
  let job: FinishJob
  private(set) var failure: TransferFailure?
  private(set) var sha256: String?
  private var digests: [Digest]
  private var position: Int64 = 0
  private var slice: [UInt8]

  init(part: PartFile, job: FinishJob) {
    self.part = part
    self.job = job
    digests = job.checksums.map { Digest($0.algorithm.digestAlgorithm) }
    slice = [UInt8](repeating: 0, count: Limits.verifiedByteCount)
  }

  /// Takes the next slice; true at the end.
  func advance() -> Bool {
    do throws(Errno) {
      let count = try part.descriptor.read(into: &slice, at: position)
      guard count > 0 else { return conclude() }
      self.position += Int64(count)
      unsafe slice.withUnsafeBytes { memory in
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory[..<count])
        for digest in digests { unsafe digest.update(bytes) }
      }
      return false
    } catch {
      failure = TransferFailure(.localFile, "cannot read \(part.place): \(error)")
      return true
    }
  }

  private func conclude() -> Bool {
    for (checksum, digest) in zip(job.checksums, digests) {
      let found = digest.finishHexadecimal()
      if checksum.algorithm == .sha256 { sha256 = found }
      if found != checksum.hexadecimal, failure == nil {
        failure = checksum.mismatch(found: found, partName: part.place)
      }
    }
    return true
  }
}
