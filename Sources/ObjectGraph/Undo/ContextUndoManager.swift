/// A history of changes that can be undone and done again, in groups.
///
/// A context that has one registers every event with it (see `ManagedObjectContext.undoManager`). Programs may register
/// actions too. It belongs to one queue: that of its contexts. Changes that its contexts have not processed count as
/// made: they are processed before anything is undone or done again, and where groups begin and end.
public final class ContextUndoManager {
  private struct Action {
    weak var target: AnyObject?
    let handler: () -> Void
  }

  private struct WeakContext {
    weak let context: ManagedObjectContext?
  }

  private struct Group {
    var actions: [Action] = []
    /// The program's name for the group; empty for none.
    var name = ""
  }

  private enum Mode {
    case recording, undoing, redoing
  }

  /// The greatest number of groups that can be undone: beyond it the oldest are forgotten. 0 for any number.
  public var levelsOfUndo = 0 {
    didSet { trim() }
  }
  /// Whether what is registered outside of any group opens one that lasts until the end of the event: the default.
  /// Otherwise every registration outside of a group is a group of its own.
  public var groupsByEvent = true
  private var undoStack: [Group] = []
  private var redoStack: [Group] = []
  /// The groups that are open, the innermost last.
  private var openGroups: [Group] = []
  /// Whether the outermost open group was opened for an event.
  private var isEventGroupOpen = false
  private var mode = Mode.recording
  private var disablingCount = 0
  /// The contexts that use this undo manager.
  private var contexts: [WeakContext] = []

  /// A manager with an empty history.
  public init() {}

  /// Whether there is something to undo.
  public var canUndo: Bool {
    !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } || hasUnprocessedChanges
  }
  /// Whether something was undone that can be done again.
  public var canRedo: Bool { !redoStack.isEmpty && !hasUnprocessedChanges }
  /// Whether `undo` is at work.
  public var isUndoing: Bool { mode == .undoing }
  /// Whether `redo` is at work.
  public var isRedoing: Bool { mode == .redoing }
  /// Whether what is registered is kept.
  public var isUndoRegistrationEnabled: Bool { disablingCount == 0 }
  /// How many groups are open, that of the event included.
  public var groupingLevel: Int { openGroups.count }

  /// Stops registration until `enableUndoRegistration` was called as often.
  public func disableUndoRegistration() { disablingCount += 1 }

  /// Takes back one `disableUndoRegistration`.
  public func enableUndoRegistration() { disablingCount = max(0, disablingCount - 1) }

  /// Registers an action that undoes a change that was just made. Undone groups can then no longer be redone, unless
  /// `undo` or `redo` makes the change: then the action reverts that. The target is not kept alive; once it is gone the
  /// action does nothing.
  public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
    if !isUndoRegistrationEnabled { return }
    if mode == .recording { redoStack = [] }
    let action = Action(target: target) { [weak target] in
      if let target { handler(target) }
    }
    if openGroups.isEmpty {
      if groupsByEvent && mode == .recording {
        openGroups.append(Group())
        isEventGroupOpen = true
      } else {
        return close(Group(actions: [action]))
      }
    }
    openGroups[openGroups.count - 1].actions.append(action)
  }

  /// Opens a group: what is registered until `endUndoGrouping` is undone as one. Groups may be nested; the outermost
  /// counts.
  public func beginUndoGrouping() {
    processContexts()
    endEventGroup()
    openGroups.append(Group())
  }

  /// Closes the innermost group; does nothing when none is open.
  public func endUndoGrouping() {
    if openGroups.isEmpty { return }
    processContexts()
    closeGroup()
  }

  private func closeGroup() {
    guard let group = openGroups.popLast() else { return }
    if openGroups.isEmpty {
      isEventGroupOpen = false
      close(group)
    } else {
      openGroups[openGroups.count - 1].actions += group.actions
    }
  }

  /// Undoes the last group, open ones being closed first; does nothing when there is none.
  public func undo() {
    if mode != .recording { return }
    closeGroups()
    guard let group = undoStack.popLast() else { return }
    run(group, as: .undoing)
  }

  /// Redoes the group that was undone last; does nothing when there is none.
  public func redo() {
    if mode != .recording { return }
    closeGroups()
    guard let group = redoStack.popLast() else { return }
    run(group, as: .redoing)
  }

  /// As `undo()`, but closes no group of the program's. With one open, it is a mistake of the program and stops it: a
  /// nested group becomes a part of the one around it when it is closed, and is not undone by itself.
  public func undoNestedGroup() {
    if mode != .recording { return }
    processContexts()
    precondition(
      openGroups.isEmpty || (isEventGroupOpen && openGroups.count == 1), "undoNestedGroup was called with a group open")
    undo()
  }

  // MARK: - Names

  /// Names the current action, for menus: the open group, such as that of the event, or else the last one.
  public func setActionName(_ name: String) {
    processContexts()
    if !openGroups.isEmpty {
      openGroups[0].name = name
    } else if !undoStack.isEmpty {
      undoStack[undoStack.count - 1].name = name
    }
  }

  /// The name of what `undo` would undo; empty when it has none, or there is nothing.
  public var undoActionName: String {
    if let open = openGroups.first, !open.name.isEmpty || openGroups.contains(where: { !$0.actions.isEmpty }) {
      return open.name
    }
    return hasUnprocessedChanges ? "" : undoStack.last?.name ?? ""
  }
  /// The name of what `redo` would do again; empty when it has none, or there is nothing.
  public var redoActionName: String { canRedo ? redoStack.last?.name ?? "" : "" }
  /// The title of a menu item for `undo`, such as `Undo Rename`.
  public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// The title of a menu item for `redo`, such as `Redo Rename`.
  public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
  /// The title of a menu item for undoing an action of that name, in English.
  public func undoMenuTitle(forUndoActionName name: String) -> String { name.isEmpty ? "Undo" : "Undo \(name)" }
  /// The title of a menu item for doing an action of that name again, in English.
  public func redoMenuTitle(forUndoActionName name: String) -> String { name.isEmpty ? "Redo" : "Redo \(name)" }

  private func closeGroups() {
    processContexts()
    while !openGroups.isEmpty { closeGroup() }
  }

  /// Forgets all actions: nothing can be undone or redone afterwards.
  public func removeAllActions() {
    undoStack = []
    redoStack = []
    openGroups = []
    isEventGroupOpen = false
  }

  /// Forgets the actions that were registered for a target.
  public func removeAllActions(withTarget target: AnyObject) {
    func without(_ groups: [Group]) -> [Group] {
      groups.map { Group(actions: $0.actions.filter { $0.target !== target }, name: $0.name) }
    }
    undoStack = without(undoStack).filter { !$0.actions.isEmpty }
    redoStack = without(redoStack).filter { !$0.actions.isEmpty }
    openGroups = without(openGroups)
  }

  /// Closes the group that was opened for an event.
  func endEventGroup() {
    if isEventGroupOpen && openGroups.count == 1 && mode == .recording { closeGroup() }
  }

  func add(_ context: ManagedObjectContext) {
    remove(context)
    contexts.append(WeakContext(context: context))
  }

  func remove(_ context: ManagedObjectContext) {
    contexts.removeAll { $0.context == nil || $0.context === context }
  }

  /// Has the contexts process and register their pending changes.
  func processContexts() {
    if mode == .recording { contexts.forEach { $0.context?.processEvent() } }
  }

  private var hasUnprocessedChanges: Bool {
    mode == .recording && isUndoRegistrationEnabled
      && contexts.contains { $0.context?.event.entries.isEmpty == false }
  }

  private func run(_ group: Group, as mode: Mode) {
    self.mode = mode
    openGroups.append(Group(name: group.name))
    for action in group.actions.reversed() { action.handler() }
    closeGroup()
    self.mode = .recording
  }

  private func close(_ group: Group) {
    if group.actions.isEmpty { return }
    if mode == .undoing { redoStack.append(group) } else { undoStack.append(group) }
    trim()
  }

  private func trim() {
    if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
  }
}
