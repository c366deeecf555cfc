/// The projected paths of JSON records as a tree, so that one pass over a record finds all of them.
///
/// Nodes and slots are allocated once and stay in place. A node's children, and the slots of nodes and outputs, are
/// indexes that `init` made; -1 stands for none and is tested for before they are used.
@safe final class FieldPaths {
  struct Node {
    let name: [UInt8]
    /// The name as an array index, -1 when it is none.
    let index: Int
    /// Slot of a path that ends here, -1 when none does.
    var slot = -1
    var children: [Int] = []
    /// The object in which the key was met last, by the count of objects scanned.
    var metIn: UInt64 = 0
    /// The child met last: keys tend to come in the same order.
    var hint = 0
  }

  private(set) var nodes: UnsafeMutablePointer<Node>
  private let nodeCount: Int
  /// One slice per distinct path.
  let slots: UnsafeMutablePointer<FieldSlice>
  let slotCount: Int
  /// Per projected path: the slot, and the one that stands in when it is absent, or -1.
  private let outputs: [(slot: Int, fallback: Int)]
  var scannedObjects: UInt64 = 0

  var fieldCount: Int { outputs.count }

  init(projection: [String], file: String?) throws(SeedFormatError) {
    var tree = [Node(name: [], index: -1)]
    var slotCount = 0
    func slot(_ tokens: [[UInt8]]) -> Int {
      var node = 0
      for token in tokens {
        if let child = tree[node].children.first(where: { tree[$0].name == token }) {
          node = child
        } else {
          tree.append(Node(name: token, index: FieldPaths.arrayIndex(token)))
          tree[node].children.append(tree.count - 1)
          node = tree.count - 1
        }
      }
      if tree[node].slot < 0 {
        tree[node].slot = slotCount
        slotCount += 1
      }
      return tree[node].slot
    }
    var outputs: [(slot: Int, fallback: Int)] = []
    for path in projection {
      if path.isEmpty || path.hasPrefix("/") {
        outputs.append((slot(try JSONPointer.tokens(path, file: file)), -1))
      } else {
        let dotted = path.utf8.split(separator: 0x2E, omittingEmptySubsequences: false).map(Array.init)
        outputs.append((slot([Array(path.utf8)]), dotted.count > 1 ? slot(dotted) : -1))
      }
    }
    self.outputs = outputs
    self.slotCount = slotCount
    nodeCount = tree.count
    unsafe nodes = .allocate(capacity: nodeCount)
    unsafe nodes.initialize(from: tree, count: nodeCount)
    unsafe slots = .allocate(capacity: max(1, slotCount))
  }

  deinit {
    unsafe nodes.deinitialize(count: nodeCount)
    unsafe nodes.deallocate()
    unsafe slots.deallocate()
  }

  /// A canonical array index (RFC 6901), or -1.
  static func arrayIndex(_ token: [UInt8]) -> Int {
    guard !token.isEmpty, token.count < 18, token.allSatisfy({ (0x30...0x39).contains($0) }) else { return -1 }
    guard token.count == 1 || token[0] != 0x30 else { return -1 }
    return token.reduce(0) { $0 * 10 + Int($1) - 0x30 }
  }

  /// Whether some path begins with a position in an array.
  var indexesRecords: Bool {
    unsafe nodes[0].children.contains { unsafe nodes[$0].index >= 0 }
  }

  /// Whether some path goes to the value with these keys, on through it, or ends above it.
  func leads(to keys: [[UInt8]]) -> Bool {
    var node = 0
    for key in keys {
      guard let child = unsafe nodes[node].children.first(where: { unsafe nodes[$0].name == key }) else { return false }
      if unsafe nodes[child].slot >= 0 { return true }
      node = child
    }
    return true
  }

  func clear() {
    unsafe slots.update(repeating: .absent, count: slotCount)
  }

  /// The projected fields that a slot's value goes to; none for -1.
  func outputs(ofSlot slot: Int) -> [Int] {
    slot < 0 ? [] : outputs.indices.filter { outputs[$0].slot == slot }
  }

  /// The projected fields in projection order.
  func copy(into slices: UnsafeMutablePointer<FieldSlice>) {
    for index in 0..<outputs.count {
      let output = outputs[index]
      // Safety: `slices` has `fieldCount` places, as callers say, which is the number of outputs.
      let slice = unsafe slots[output.slot]
      unsafe slices[index] = slice.kind == .absent && output.fallback >= 0 ? slots[output.fallback] : slice
    }
  }
}

/// JSON Pointer (RFC 6901).
package enum JSONPointer {
  /// A key as a reference token, without the slash before it.
  package static func escaped(_ key: String) -> String { key.replacing("~", with: "~0").replacing("/", with: "~1") }
  /// The key that a well-formed reference token stands for.
  package static func unescaped(_ token: String) -> String {
    token.replacing("~1", with: "/").replacing("~0", with: "~")
  }

  /// The reference tokens of a pointer, unescaped.
  static func tokens(_ pointer: String, file: String?) throws(SeedFormatError) -> [[UInt8]] {
    if pointer.isEmpty { return [] }
    func refuse(_ message: String) -> SeedFormatError {
      SeedFormatError(
        code: "json.pointer-syntax", kind: .malformed, message: "\"\(pointer)\": \(message)",
        hint: "a JSON Pointer looks like /venues or /data/0/items", file: file)
    }
    guard pointer.utf8.first == 0x2F else { throw refuse("a JSON Pointer starts with /") }
    var tokens: [[UInt8]] = []
    for part in pointer.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).dropFirst() {
      var token: [UInt8] = []
      var bytes = part.makeIterator()
      while let byte = bytes.next() {
        guard byte == 0x7E else {
          token.append(byte)
          continue
        }
        switch bytes.next() {
        case 0x30: token.append(0x7E)
        case 0x31: token.append(0x2F)
        default: throw refuse("after ~ comes 0 or 1")
        }
      }
      tokens.append(token)
    }
    return tokens
  }
}
