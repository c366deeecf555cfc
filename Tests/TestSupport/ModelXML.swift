/// Parts of a model's source.
public enum ModelXML {
  /// The uniqueness constraint on a property, as the only one of its entity.
  public static func unique(_ property: String) -> String {
    "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(property)\"/></uniquenessConstraint>"
      + "</uniquenessConstraints>"
  }
}
