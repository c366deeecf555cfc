/// A model with one of everything that the tests of data need.
enum ShopModel {
  static let xml = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
    systemVersion="22G313" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
      <entity name="Account" representedClassName="Account" syncable="YES" codeGenerationType="class">
        <attribute name="email" optional="YES" attributeType="String"/>
        <attribute name="identifier" attributeType="String"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="identifier"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="email"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Item" representedClassName="Item" syncable="YES" codeGenerationType="class">
        <attribute name="code" optional="YES" attributeType="String" regularExpressionString="[A-Z]{2}[0-9]+"/>
        <attribute name="count" optional="YES" attributeType="Integer 32" usesScalarValueType="YES"/>
        <attribute name="identifier" attributeType="String"/>
        <attribute name="large" optional="YES" attributeType="Integer 64" usesScalarValueType="YES"/>
        <attribute name="name" attributeType="String"/>
        <attribute name="note" optional="YES" attributeType="String" maxValueString="12"/>
        <attribute name="rank" attributeType="Integer 16" minValueString="1" maxValueString="10" \
    defaultValueString="5" usesScalarValueType="YES"/>
        <attribute name="ratio" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        <attribute name="small" optional="YES" attributeType="Integer 16" usesScalarValueType="YES"/>
        <attribute name="updatedAt" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="parent" inverseEntity="Item"/>
        <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="children" inverseEntity="Item"/>
        <relationship name="parts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Part" \
    inverseName="item" inverseEntity="Part"/>
        <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
    inverseName="items" inverseEntity="Tag"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="identifier"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="Part" representedClassName="Part" syncable="YES" codeGenerationType="class">
        <attribute name="identifier" attributeType="String"/>
        <relationship name="item" maxCount="1" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="parts" inverseEntity="Item"/>
      </entity>
      <entity name="Tag" representedClassName="Tag" syncable="YES" codeGenerationType="class">
        <attribute name="name" attributeType="String"/>
        <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="tags" inverseEntity="Item"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """
}
