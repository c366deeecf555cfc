import Platform

/// Finds the projected fields of one JSON value while validating all of it.
///
/// Positions are those of the tokenizer's text and are compared with its end before a byte is looked at. Nodes and
/// slots are indexes that `paths` gave.
@safe struct JSONProjector {
  var tokenizer: JSONTokenizer
  let paths: FieldPaths
  /// Where unescaped strings go; slices into it carry `SideArena.mark`.
  let side: ByteBuffer
  private let keyScratch = ByteBuffer(capacity: 256)
  /// Position of the record's first byte; raw offsets count from it.
  private var recordStart = 0
  /// Position that slice offsets count from.
  private var origin = 0

  /// A record is one line: a value that holds a line feed is not read by shape.
  var isLineBound = false
  /// Only objects are records.
  var requiresObjects = false
  /// The shape of an earlier record.
  let shape: ObjectShape
  var timesLearned = 0
  var recordsSinceLearning = 0

  init(paths: FieldPaths, side: ByteBuffer, base: UnsafePointer<UInt8>, depthLimit: Int) {
    unsafe tokenizer = JSONTokenizer(base: base, depthLimit: depthLimit)
    self.paths = paths
    self.side = side
    shape = ObjectShape(fieldCount: paths.fieldCount)
  }

  /// Scans the value at `start` into the slots of `paths`. The record as written starts at `recordStart`.
  /// - Returns: the position after it, or -1 (see the tokenizer's `stop`).
  mutating func record(_ start: Int, from recordStart: Int, relativeTo origin: Int) -> Int {
    begin(recordStart: recordStart, relativeTo: origin)
    paths.clear()
    return value(start, node: 0, depth: tokenizer.outerDepth)
  }

  /// Makes ready for another record.
  mutating func begin(recordStart: Int, relativeTo origin: Int) {
    self.recordStart = recordStart
    self.origin = origin
    tokenizer.clear()
  }

  private mutating func value(_ start: Int, node: Int, depth: Int) -> Int {
    let byte = unsafe tokenizer.base[start]
    let slot = unsafe paths.nodes[node].slot
    let end: Int
    if unsafe !paths.nodes[node].children.isEmpty && (byte == 0x7B || byte == 0x5B) {
      guard tokenizer.mayNest(depth, start) else { return -1 }
      end =
        byte == 0x7B
        ? object(start, node: node, depth: depth &+ 1) : array(start, node: node, depth: depth &+ 1)
    } else {
      end = skip(start, depth: depth)
    }
    if end >= 0 && slot >= 0 { unsafe paths.slots[slot] = slice(byte, start, end) }
    return end
  }

  @inline(__always) mutating func skip(_ start: Int, depth: Int) -> Int {
    let byte = unsafe tokenizer.base[start]
    guard byte == 0x7B || byte == 0x5B else { return tokenizer.scalar(start) }
    let outer = tokenizer.outerDepth
    tokenizer.outerDepth = depth
    let end = tokenizer.value(start)
    tokenizer.outerDepth = outer
    return end
  }

  /// The kind and the place of a value that was just scanned.
  @inline(__always) mutating func slice(_ first: UInt8, _ start: Int, _ end: Int) -> FieldSlice {
    var slice = FieldSlice(
      offset: UInt32(truncatingIfNeeded: start &- origin), length: UInt32(truncatingIfNeeded: end &- start),
      kind: .number, isQuoted: false, rawOffset: UInt32(truncatingIfNeeded: start &- recordStart))
    switch first {
    case 0x22:
      slice.kind = .string
      slice.length &-= 2
      if tokenizer.hasEscapes {
        slice.isQuoted = true
        slice.offset = UInt32(side.count) | SideArena.mark
        // Safety: a string that was scanned has both its quotes; `side` is another buffer than the text.
        unsafe JSONStringDecoding.unescape(tokenizer.base + start + 1, count: end - start - 2, into: side)
        slice.length = UInt32(side.count) - (slice.offset & ~SideArena.mark)
      } else {
        slice.offset &+= 1
      }
    case 0x7B: slice.kind = .object
    case 0x5B: slice.kind = .array
    case 0x74: slice.kind = .true
    case 0x66: slice.kind = .false
    case 0x6E: slice.kind = .null
    default: break
    }
    return slice
  }

  private mutating func object(_ start: Int, node: Int, depth: Int) -> Int {
    paths.scannedObjects &+= 1
    let serial = paths.scannedObjects
    var position = tokenizer.skipWhitespace(start &+ 1)
    if position < tokenizer.end, unsafe tokenizer.base[position] == 0x7D { return position &+ 1 }
    while true {
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      guard unsafe tokenizer.base[position] == 0x22 else { return tokenizer.fail(.expectedKey, position) }
      let keyStart = position
      position = tokenizer.string(keyStart)
      guard position >= 0 else { return -1 }
      let child = self.child(of: node, key: keyStart, end: position)
      position = tokenizer.skipWhitespace(position)
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      guard unsafe tokenizer.base[position] == 0x3A else { return tokenizer.fail(.expectedColon, position) }
      position = tokenizer.skipWhitespace(position &+ 1)
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      if child >= 0 {
        if unsafe paths.nodes[child].metIn == serial { tokenizer.note(.duplicateKey, keyStart) }
        unsafe paths.nodes[child].metIn = serial
        position = value(position, node: child, depth: depth)
      } else {
        position = skip(position, depth: depth)
      }
      guard position >= 0 else { return -1 }
      position = tokenizer.skipWhitespace(position)
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      let byte = unsafe tokenizer.base[position]
      if byte == 0x7D { return position &+ 1 }
      guard byte == 0x2C else { return tokenizer.fail(.expectedCommaOrBrace, position) }
      position = tokenizer.skipWhitespace(position &+ 1)
    }
  }

  private mutating func array(_ start: Int, node: Int, depth: Int) -> Int {
    var position = tokenizer.skipWhitespace(start &+ 1)
    if position < tokenizer.end, unsafe tokenizer.base[position] == 0x5D { return position &+ 1 }
    var index = 0
    while true {
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      let child = unsafe paths.nodes[node].children.first { unsafe paths.nodes[$0].index == index } ?? -1
      position = child >= 0 ? value(position, node: child, depth: depth) : skip(position, depth: depth)
      guard position >= 0 else { return -1 }
      index &+= 1
      position = tokenizer.skipWhitespace(position)
      guard position < tokenizer.end else { return tokenizer.failAtEnd() }
      let byte = unsafe tokenizer.base[position]
      if byte == 0x5D { return position &+ 1 }
      guard byte == 0x2C else { return tokenizer.fail(.expectedCommaOrBracket, position) }
      position = tokenizer.skipWhitespace(position &+ 1)
    }
  }

  /// The child of `node` with the key whose quotes are at `key` and before `end`, or -1.
  @inline(__always) func child(of node: Int, key: Int, end: Int) -> Int {
    // Safety: the key lies between two quotes, so `length` is no less than 0; `children` are indexes of nodes, and
    // `hint` is one of theirs.
    var text = unsafe tokenizer.base + key + 1
    var length = end &- key &- 2
    if tokenizer.hasEscapes {
      keyScratch.removeAll()
      unsafe JSONStringDecoding.unescape(text, count: length, into: keyScratch)
      unsafe text = UnsafePointer(keyScratch.base)
      length = keyScratch.count
    }
    let nodes = unsafe paths.nodes
    let count = unsafe nodes[node].children.count
    var candidate = unsafe nodes[node].hint
    for _ in 0..<count {
      let child = unsafe nodes[node].children[candidate]
      candidate = candidate &+ 1 == count ? 0 : candidate &+ 1
      guard unsafe nodes[child].name.count == length else { continue }
      let isEqual = unsafe nodes[child].name.withUnsafeBufferPointer { name in
        unsafe length == 0 || name.baseAddress.map { unsafe memcmp($0, text, length) == 0 } ?? false
      }
      if isEqual {
        unsafe nodes[node].hint = candidate
        return child
      }
    }
    return -1
  }

  /// A key as it is written, with its quotation marks; cut where it is long.
  private func keyText(at start: Int, _ end: Int) -> String {
    var text: [UInt8] = []
    var position = start
    // Safety: the key is in the record, which ends at `end`.
    while position < end, text.count < 60 {
      text.append(unsafe tokenizer.base[position])
      if text.count > 1, text.last == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if text.last == UInt8(ascii: "\\"), position + 1 < end {
        position += 1
        text.append(unsafe tokenizer.base[position])
      }
      position += 1
    }
    return String(decoding: text, as: UTF8.self) + "…\""
  }

  /// The problem of a scanned record apart from its grammar.
  func flaw(_ start: Int, _ end: Int) -> (code: String, message: String, hint: String?, at: Int)? {
    if tokenizer.nonASCII & SWAR.high != 0, let at = unsafe UTF8Text.invalidUTF8(tokenizer.base, start, end) {
      return (
        "text.invalid-utf8", "the record is not valid UTF-8",
        "state its encoding, such as encoding: windows-1252 or latin-1", at
      )
    }
    switch tokenizer.flaw {
    case .none: return nil
    case .nul: return ("text.nul", "a string holds a NUL byte", "write it as \\u0000", tokenizer.flawAt)
    case .loneSurrogate:
      return ("json.lone-surrogate", "half of a surrogate pair stands alone", nil, tokenizer.flawAt)
    case .duplicateKey:
      let key = keyText(at: tokenizer.flawAt, end)
      return ("json.duplicate-key", "the object has the key \(key) twice", nil, tokenizer.flawAt)
    }
  }
}
