/// Hands an object to a closure without counting a reference to it.
///
/// Counting is an atomic operation, and an object that was inserted and saved had 86 of them
/// (`docs/benchmarks/versus.md`). It is used only where the compiler does not see that something else holds the object.
/// The object is an autoclosure because the compiler would count a reference for an argument.
///
/// Safety: something else must hold the object until the closure returns.
@unsafe @inline(__always) func borrowing<Object: AnyObject, Result>(
  _ object: @autoclosure () -> Object, _ body: (Object) -> Result
) -> Result {
  unsafe Unmanaged.passUnretained(object())._withUnsafeGuaranteedRef(body)
}
