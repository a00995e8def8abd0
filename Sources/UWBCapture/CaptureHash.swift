/// The SHA-512 of a capture, hexadecimal: of the file at `path`; of a recording's metadata or a collection's, which hold
/// the hashes of what belongs to them. `nil` for standard input.
///
/// - Throws: `CaptureError` where the file can't be read.
public func captureHash(_ path: String) throws -> String? {
  guard path != "-" else { return nil }
  let file = SigMFPaths.isRecording(path) ? SigMFPaths.files(path).first ?? path : path
  return try SHA512.hexadecimal(of: FilePart(path: file))
}

/// The SHA-512 of bytes, hexadecimal.
package func contentHash(_ bytes: [UInt8]) -> String {
  var hash = SHA512()
  bytes.withUnsafeBytes { hash.update($0) }
  return hash.hexadecimal()
}
