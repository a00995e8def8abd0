import Foundation

/// A file by its device and number: the same for all of its names, through hard and symbolic links.
struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64
  /// Type bits of its mode (`S_IFREG`, …).
  let kind: mode_t

  /// The file at `path`; `nil` where there is none.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// An open file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
    kind = status.st_mode & S_IFMT
  }

  /// Whether writing it changes what is read from it: a plain file, or a folder.
  var holdsData: Bool { kind == S_IFREG || kind == S_IFDIR }
}
