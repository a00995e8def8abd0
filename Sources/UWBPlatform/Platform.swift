// The C library of the system: the mathematical functions, and what little else a file needs of it. Here alone is its name.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Android)
  @_exported import Android
#elseif canImport(ucrt)
  @_exported import ucrt
#elseif canImport(Darwin)
  @_exported import Darwin
#endif
