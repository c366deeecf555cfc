import TestSupport

/// Cities, their shops, and people: constraints of one and of two properties, limits, inheritance, and relationships
/// of every kind.
enum TownModel {
  static let xml = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="City" representedClassName="City" syncable="YES">
        <attribute name="code" attributeType="String"/>
        <attribute name="founded" optional="YES" attributeType="Date"/>
        <attribute name="name" optional="YES" attributeType="String" maxValueString="10"/>
        <attribute name="population" attributeType="Integer 32" defaultValueString="0" minValueString="0"/>
        <relationship name="shops" optional="YES" toMany="YES" destinationEntity="Shop" inverseName="city" inverseEntity="Shop"/>
        <relationship name="twin" optional="YES" maxCount="1" destinationEntity="City"/>
        \(ModelXML.unique("code"))
      </entity>
      <entity name="Shop" representedClassName="Shop" syncable="YES">
        <attribute name="number" attributeType="Integer 16"/>
        <attribute name="open" attributeType="Boolean" defaultValueString="YES"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="rating" optional="YES" attributeType="Double" maxValueString="5"/>
        <attribute name="title" attributeType="String"/>
        <attribute name="uid" optional="YES" attributeType="UUID"/>
        <relationship name="city" maxCount="1" destinationEntity="City" inverseName="shops" inverseEntity="City"/>
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Person" inverseName="shops" inverseEntity="Person"/>
        <relationship name="rows" optional="YES" toMany="YES" ordered="YES" destinationEntity="Row" inverseName="shop" inverseEntity="Row"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="city"/><constraint value="number"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Row" representedClassName="Row" syncable="YES">
        <attribute name="label" optional="YES" attributeType="String"/>
        <relationship name="shop" optional="YES" maxCount="1" destinationEntity="Shop" inverseName="rows" inverseEntity="Shop"/>
      </entity>
      <entity name="Person" representedClassName="Person" syncable="YES">
        <attribute name="identifier" attributeType="String"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="badge" optional="YES" maxCount="1" destinationEntity="Badge" inverseName="person" inverseEntity="Badge"/>
        <relationship name="shops" optional="YES" toMany="YES" destinationEntity="Shop" inverseName="owner" inverseEntity="Shop"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="people" inverseEntity="Tag"/>
        \(ModelXML.unique("identifier"))
      </entity>
      <entity name="Manager" representedClassName="Manager" parentEntity="Person" syncable="YES">
        <attribute name="bonus" optional="YES" attributeType="Decimal"/>
      </entity>
      <entity name="Badge" representedClassName="Badge" syncable="YES">
        <attribute name="number" attributeType="Integer 32"/>
        <relationship name="person" optional="YES" maxCount="1" destinationEntity="Person" inverseName="badge" inverseEntity="Person"/>
      </entity>
      <entity name="Tag" representedClassName="Tag" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="people" optional="YES" toMany="YES" destinationEntity="Person" inverseName="tags" inverseEntity="Person"/>
      </entity>
    </model>
    """
}
