import TestSupport

/// A workspace with a model of stops, and a pipeline of one step whose source and map the test states.
enum StopFeed {
  static let model = """
    <model documentVersion="1.0">
      <entity name="Stop">
        <attribute name="identifier" attributeType="String"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="zone" optional="YES" attributeType="String"/>
        <attribute name="rank" optional="YES" attributeType="Integer 32"/>
        <attribute name="height" optional="YES" attributeType="Double"/>
        <attribute name="isOpen" optional="YES" attributeType="Boolean"/>
        <attribute name="opened" optional="YES" attributeType="Date"/>
        <attribute name="token" optional="YES" attributeType="UUID"/>
        <attribute name="picture" optional="YES" attributeType="Binary"/>
        <relationship name="parent" optional="YES" maxCount="1" destinationEntity="Stop" inverseName="children"
          inverseEntity="Stop"/>
        <relationship name="children" optional="YES" toMany="YES" destinationEntity="Stop" inverseName="parent"
          inverseEntity="Stop"/>
        \(ModelXML.unique("identifier"))
      </entity>
    </model>
    """

  /// - Parameters:
  ///   - map: lines of `map` besides the identifier's.
  ///   - store: further settings of the store, such as `replace: never`.
  ///   - more: sections behind `import`.
  static func pipeline(
    _ map: [String], source: String = "stops.csv", identifier: String = "id", store: String = "replace: always",
    settings: [String] = [], more: String = ""
  ) -> String {
    """
    model: Stops.xcdatamodel
    store: { path: Stops.sqlite, \(store) }
    import:
      - from: \(source)
        entity: Stop
        match: identifier
    \(settings.map { "    \($0)\n" }.joined())    map:
          identifier: \(identifier)
    \(map.map { "      \($0)\n" }.joined())\(more)
    """
  }

  static func workspace(_ files: [String: String], pipeline: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("Stops.xcdatamodel/contents", model)
    try workspace.write("stops.yaml", pipeline)
    for (name, text) in files { try workspace.write(name, text) }
    return workspace
  }
}
