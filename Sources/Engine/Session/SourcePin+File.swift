import Core
import Posix
import State

extension SourcePin {
  /// The file at a path as it is now.
  init(path: String) throws(Errno) {
    let status = try Files.status(path)
    self.init(
      path: path, device: status.device, inode: status.inode, byteCount: status.byteCount,
      modifiedNanoseconds: status.modifiedNanoseconds)
  }

  /// Why what is at the path is not what was pinned; nil when it still is.
  var failure: TransferFailure? {
    do throws(Errno) {
      let now = try SourcePin(path: path)
      guard now == self else {
        return TransferFailure(.sourceChanged, "\(path) changed while it was being sent")
      }
      return nil
    } catch {
      return TransferFailure(.localFile, "cannot read \(path): \(error)")
    }
  }
}
