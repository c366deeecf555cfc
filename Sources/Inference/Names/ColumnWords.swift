/// Words that columns are called after.
enum ColumnWords {
  static let identifiers: Set<String> = ["id", "identifier", "uuid", "guid", "pk"]

  /// Words that say what a value is the key of.
  static let telling: Set<String> = [
    "isbn", "issn", "iata", "icao", "sku", "ean", "gtin", "upc", "asin", "barcode", "email", "username", "login",
  ]

  static let keys: Set<String> = telling.union([
    "key", "code", "slug", "iso", "number", "no", "nr", "nummer", "numero", "codigo", "symbol", "ticker",
  ])

  /// Words before `code` and `number` for what many records may share.
  static let shared: Set<String> = [
    "phone", "telephone", "tel", "mobile", "fax", "zip", "postal", "post", "area", "dialing", "house", "street", "room",
    "country", "currency", "language", "status", "error", "color", "colour", "type",
  ]

  /// Names of sizes, times and counts: they differ without being names of anything.
  static let measures: Set<String> = [
    "time", "timestamp", "ts", "date", "datetime", "epoch", "when", "hour", "minute", "second", "seconds", "ms",
    "elapsed",
    "month", "week", "day", "weekday", "quarter", "period", "quantity", "qty", "count", "amount", "price", "cost",
    "total",
    "value", "lat", "latitude", "lon", "lng", "longitude", "altitude", "elevation", "depth", "temperature", "temp",
    "humidity", "pressure", "voltage", "current", "power", "energy", "volume", "frequency", "reading", "x", "y", "z",
    "score", "rating", "age", "size", "width", "height", "length", "weight", "population", "distance", "duration",
    "speed", "percent", "salary", "revenue",
  ]

  /// Names of what people wrote, of people and of how to reach them: two records may have the same.
  static let prose: Set<String> = [
    "name", "names", "title", "label", "description", "text", "comment", "note", "notes", "subject", "headline",
    "message", "author", "artist", "person", "first", "last", "surname", "forename", "firstname", "lastname", "given",
    "family", "address", "street", "city", "town", "phone", "telephone", "tel", "mobile", "fax",
  ]

  /// `artikelnummer`, which is one word in German and others.
  static func isNumber(_ word: String) -> Bool { word.count > 6 && word.hasSuffix("nummer") }

  /// Other names of columns in data of several languages.
  private static let others: Set<String> = [
    "author", "brand", "category", "class", "company", "currency", "definition", "department", "email", "gender",
    "genre", "group", "kind", "lang", "level", "link", "location", "mail", "place", "question", "answer", "region",
    "role", "sex", "source", "state", "tag", "tags", "term", "unit", "url", "user", "website", "word",
    "beschreibung", "bezeichnung", "kategorie", "land", "nachname", "ort", "stadt", "strasse", "titel", "vorname",
    "wert", "categorie", "nom", "pays", "prenom", "titre", "valeur", "ville", "apellido", "ciudad", "nombre", "pais",
    "valor", "citta", "cognome", "nome", "paese", "naam", "plaats", "waarde",
  ]

  /// Whether a word is one of all these.
  static func contain(_ word: String) -> Bool {
    [identifiers, keys, shared, measures, prose, others].contains { $0.contains(word) } || isNumber(word)
  }
}
