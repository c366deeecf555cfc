/// The numbers of the errors for values beyond a limit.
package struct ValidationCodes {
  package let below: Int
  package let above: Int

  package init(_ type: AttributeType) {
    switch type {
    case .string:
      below = CoreDataErrorCode.validationStringTooShort
      above = CoreDataErrorCode.validationStringTooLong
    case .date:
      below = CoreDataErrorCode.validationDateTooSoon
      above = CoreDataErrorCode.validationDateTooLate
    default:
      below = CoreDataErrorCode.validationNumberTooSmall
      above = CoreDataErrorCode.validationNumberTooLarge
    }
  }
}
