// The only place that imports the C library. It is exported again, so that a module that lists `Platform` has `errno`,
// `memcmp` and the like without conditions of its own; `scripts/check-imports` keeps them out everywhere else.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif
