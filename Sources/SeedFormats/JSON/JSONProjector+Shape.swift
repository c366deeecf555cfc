// What the pointers in here rest on: the text is an `InputWindow`'s or a batch's, which end with 64 zero bytes
// (`ByteBuffer.terminate`) whenever a scanner looks at them. No loop passes a zero: a string ends at a control
// character, a number at what is no digit, and a key is compared with text that has no zero. So nothing reads further
// than a word, or the three that are compared at once, behind the text's end; what was found there is refused by
// `position <= tokenizer.end`.

extension JSONProjector {
  /// Reads the object at `start` by the shape of an earlier one, straight into the projected fields.
  /// - Returns: the position after it; -1 when it must be read token by token, whatever the reason.
  mutating func readByShape(
    at start: Int, relativeTo origin: Int, into slices: UnsafeMutablePointer<FieldSlice>
  ) -> Int {
    let shape = shape
    let count = shape.memberCount
    let base = unsafe tokenizer.base
    guard count > 0 else { return -1 }
    let text = unsafe UnsafePointer(shape.text.base)
    guard unsafe ObjectShape.matches(shape.opening, text, base + start) else { return -1 }
    begin(recordStart: start, relativeTo: origin)
    let members = unsafe shape.members
    let outputs = unsafe shape.outputs
    let separator = shape.separator
    var nonASCII: UInt64 = 0
    var position = start &+ shape.opening.length
    var index = 0
    var isAtKey = true
    while true {
      if isAtKey {
        // Members that the record leaves out are passed over.
        // Safety: `index` is under `count`, the members that the shape has; their outputs lie in `outputs`, and each is
        // the index of a projected field, of which `slices` has one place each.
        while unsafe !ObjectShape.matches(members[index].key, text, base + position) {
          var output = unsafe members[index].firstOutput
          while unsafe output < members[index].endOutput {
            unsafe slices[outputs[output]] = .absent
            output &+= 1
          }
          index &+= 1
          if index == count { return -1 }
        }
        position &+= unsafe members[index].key.length
      }
      var slice = FieldSlice(
        offset: UInt32(truncatingIfNeeded: position &- origin), length: 0, kind: .number, isQuoted: false,
        rawOffset: UInt32(truncatingIfNeeded: position &- start))
      var end: Int
      switch unsafe base[position] {
      case 0x22:
        end = unsafe plainString(base, position, &nonASCII)
        if end < 0 { return -1 }
        slice.kind = .string
        slice.offset &+= 1
        slice.length = UInt32(truncatingIfNeeded: end &- position &- 2)
      case 0x2D, 0x30...0x39:
        end = unsafe number(base, position)
        if end < 0 { return -1 }
        slice.length = UInt32(truncatingIfNeeded: end &- position)
      case let first:
        end = skip(position, depth: tokenizer.outerDepth &+ 1)
        if end < 0 || tokenizer.flaw != .none { return -1 }
        if isLineBound, unsafe LineEnds.find(0x0A, base, position, end) != nil { return -1 }
        nonASCII |= tokenizer.nonASCII
        slice = self.slice(first, position, end)
      }
      var output = unsafe members[index].firstOutput
      let endOutput = unsafe members[index].endOutput
      while output < endOutput {
        unsafe slices[outputs[output]] = slice
        output &+= 1
      }
      position = end
      index &+= 1
      guard index < count else { break }
      isAtKey = unsafe !ObjectShape.matches(members[index].separatedKey, text, base + position)
      if !isAtKey {
        position &+= unsafe members[index].separatedKey.length
      } else if unsafe ObjectShape.matches(separator, text, base + position) {
        position &+= separator.length
      } else {
        break
      }
    }
    guard unsafe ObjectShape.matches(shape.closing, text, base + position) else { return -1 }
    position &+= shape.closing.length
    guard position <= tokenizer.end else { return -1 }
    if nonASCII & SWAR.high != 0, unsafe UTF8Text.invalidUTF8(base, start, position) != nil { return -1 }
    if index < count {
      for output in unsafe members[index].firstOutput..<members[count &- 1].endOutput {
        unsafe slices[outputs[output]] = .absent
      }
    }
    for output in shape.absentOutputs { unsafe slices[output] = .absent }
    for output in shape.wholeOutputs { unsafe slices[output] = slice(0x7B, start, position) }
    return position
  }

  /// - Returns: the position after the string's closing quote; -1 when anything but plain text is in it.
  @inline(__always) private func plainString(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ nonASCII: inout UInt64
  ) -> Int {
    var position = start &+ 1
    while true {
      // Safety: the words before had no zero, so this one begins before the text's end or at it.
      let word = unsafe SWAR.load(base + position)
      let word7 = word & SWAR.low7
      let found =
        (SWAR.zeroes(word7 & 0x6060_6060_6060_6060) | SWAR.zeroes(word7 ^ 0x2222_2222_2222_2222)
          | SWAR.zeroes(word7 ^ 0x5C5C_5C5C_5C5C_5C5C)) & ~word & SWAR.high
      nonASCII |= word
      if found != 0 {
        let at = position &+ (found.trailingZeroBitCount >> 3)
        return unsafe base[at] == 0x22 ? at &+ 1 : -1
      }
      position &+= 8
    }
  }

  /// - Returns: the position after the number; -1 when it is none. A byte that belongs to no number must follow.
  @inline(__always) private func number(_ base: UnsafePointer<UInt8>, _ start: Int) -> Int {
    var position = start
    if unsafe base[position] == 0x2D { position &+= 1 }
    let first = unsafe base[position]
    guard first &- 0x30 < 10 else { return -1 }
    position &+= 1
    if first != 0x30 { unsafe passDigits(base, &position) }
    if unsafe base[position] == 0x2E {
      position &+= 1
      guard unsafe base[position] &- 0x30 < 10 else { return -1 }
      unsafe passDigits(base, &position)
    }
    if unsafe base[position] | 0x20 == 0x65 {
      position &+= 1
      if unsafe base[position] == 0x2B || base[position] == 0x2D { position &+= 1 }
      guard unsafe base[position] &- 0x30 < 10 else { return -1 }
      unsafe passDigits(base, &position)
    }
    return position
  }

  @inline(__always) private func passDigits(_ base: UnsafePointer<UInt8>, _ position: inout Int) {
    // Safety: the zero behind the text is no digit.
    while unsafe base[position] &- 0x30 < 10 { position &+= 1 }
  }

  // MARK: - Learning

  /// Takes up the shape of a record that was read token by token and is without fault.
  mutating func learn(_ start: Int) {
    recordsSinceLearning &+= 1
    // Records of ever changing shapes: learning must not cost more than it is worth.
    guard recordsSinceLearning >= 2 * timesLearned else { return }
    recordsSinceLearning = 0
    timesLearned += 1
    if !readShape(start) { shape.clear() }
  }

  /// - Returns: false when the record cannot be a pattern for others.
  private mutating func readShape(_ start: Int) -> Bool {
    let base = unsafe tokenizer.base
    shape.clear()
    shape.wholeOutputs = unsafe paths.outputs(ofSlot: paths.nodes[0].slot)
    var hasOutput = [Bool](repeating: false, count: paths.fieldCount)
    for output in shape.wholeOutputs { hasOutput[output] = true }
    var position = tokenizer.skipWhitespace(start &+ 1)
    guard unsafe base[start] == 0x7B && base[position] == 0x22, unsafe shape.setOpening(base, start, position) else {
      return false
    }
    while true {
      let keyStart = position
      position = tokenizer.string(keyStart)
      guard !tokenizer.hasEscapes else { return false }
      let child = self.child(of: 0, key: keyStart, end: position)
      if child >= 0, unsafe !paths.nodes[child].children.isEmpty { return false }
      let slot = unsafe child >= 0 ? paths.nodes[child].slot : -1
      position = tokenizer.skipWhitespace(tokenizer.skipWhitespace(position) &+ 1)
      let outputs = paths.outputs(ofSlot: slot)
      for output in outputs { hasOutput[output] = true }
      guard unsafe shape.append(base, keyStart, position, outputs: outputs) else { return false }
      let valueEnd = tokenizer.value(position)
      guard valueEnd >= 0 else { return false }
      position = tokenizer.skipWhitespace(valueEnd)
      if unsafe base[position] == 0x7D {
        shape.absentOutputs = hasOutput.indices.filter { !hasOutput[$0] }
        return unsafe shape.setClosing(base, valueEnd, position &+ 1)
      }
      position = tokenizer.skipWhitespace(position &+ 1)
      guard unsafe shape.setSeparator(base, valueEnd, position) else { return false }
    }
  }
}
