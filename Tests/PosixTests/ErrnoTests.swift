import Testing

@testable import Posix

@Suite struct ErrnoTests {
  @Test(arguments: [
    (Errno.noSpace, "ENOSPC", "no space left on device"), (.notFound, "ENOENT", "no such file or directory"),
    (.ioError, "EIO", "input/output error"), (.tooManySymlinks, "ELOOP", "too many levels of symbolic links"),
    (Errno(rawValue: 9999), "E9999", "unknown error 9999"),
  ])
  func `an error has the system's name and text`(error: Errno, name: String, text: String) {
    #expect(error.name == name)
    #expect(error.description == text)
  }

  @Test func `a full disk, quota and file are full`() {
    #expect([Errno.noSpace, .quotaExceeded, .fileTooLarge].allSatisfy { $0.isDiskFull })
    #expect([Errno.ioError, .readOnly, .accessDenied, .notFound].allSatisfy { !$0.isDiskFull })
  }
}
