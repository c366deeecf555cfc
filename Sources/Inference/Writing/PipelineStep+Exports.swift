import ObjectModel

/// Columns of an export that give the fields of a source back.
extension PipelineStep {
  /// Adds those of an entity in the making; fields of nested objects have dotted names. Arrays of objects have none.
  mutating func addColumns(of entity: EntityDraft) {
    add(entity, name: "", path: "")
    var seen: Set<String> = []
    columns = columns.filter { seen.insert($0.name).inserted }
  }

  private mutating func add(_ entity: EntityDraft, name: String, path: String) {
    for line in entity.lines {
      let field = name + line.field
      switch line.source {
      case .expression: columns.append(.init(name: field, value: path + line.property))
      case .reference(let key, _): columns.append(.init(name: field, value: path + line.property + "." + key))
      case .nested(_, let inner):
        if entity.relationships.first(where: { $0.name == line.property })?.isToMany ?? true {
          unexported.append(field)
        } else {
          add(inner, name: field + ".", path: path + line.property + ".")
        }
      }
    }
  }

  /// Adds those of lines that are mapped to an entity of a model that is there.
  mutating func addColumns(mappedTo entity: Entity) {
    add(lines, entity, name: "", path: "")
  }

  private mutating func add(_ lines: [Line], _ entity: Entity, name: String, path: String) {
    for line in lines where !line.isCommentedOut {
      let isToMany = entity.relationship(line.property)?.isToMany ?? false
      if let column = line.column {
        columns.append(.init(name: name + column.name, value: path + line.property))
      } else if let attribute = entity.attribute(line.property) {
        if attribute.type == .transformable {
          archives.append(name + line.field)
        } else {
          columns.append(.init(name: name + line.field, value: path + line.property))
        }
      } else if isToMany {
        unexported.append(name + (line.reference?.field ?? line.field))
      } else if let reference = line.reference {
        columns.append(.init(name: name + reference.field, value: path + line.property + "." + reference.key))
      } else if let inside = line.inside, let destination = entity.relationship(line.property)?.destination {
        add(inside, destination, name: name + line.field + ".", path: path + line.property + ".")
      }
    }
  }

  /// What is not in an export, a line each.
  var exportNotes: [String] {
    unexported.map {
      "\(list.title): \($0): a list of objects has no column, so it is in the store and not in an export"
    }
      + archives.map { "\(list.title): \($0): an archive is base64 in an export, so it has no column there" }
  }
}
