/// The fixture stores, each with an import of new objects and of a change, and what that does to the tables.
extension AppleStore {
  static let all = [surfJournal] + bookmarks + [sampleV1, sampleV2, library, cart, integrations]

  /// All its rows are in the `-wal`; there is no `Z_MODELCACHE`.
  static let surfJournal = AppleStore(
    path: "surf-journal/SurfJournalModel.sqlite",
    model: "surf-journal/SurfJournalModel.xcdatamodeld",
    seeds: [
      "entries.ndjson": [
        #"{"location":"Bells Beach","height":"0.0","period":"0","wind":"12.4","rating":77}"#,
        #"{"location":"Nazaré","height":"24.4","period":"17","wind":"3","rating":5,"date":"1999-12-31T23:59:59.5Z"}"#,
        #"{"location":"Nazaré","height":"20","period":"17","wind":"3"}"#,
      ]
    ],
    steps: [
      step("entries", "JournalEntry", "location, height, period, wind", "location height period wind rating date")
    ],
    expected: [
      TableChange(
        table: "ZJOURNALENTRY", inserted: 2,
        changed: [
          "ZLOCATION = 'Bells Beach' AND ZHEIGHT = '0.0' AND ZPERIOD = '0' AND ZWIND = '12.4'": ["ZRATING"]
        ])
    ])

  /// Folders with ordered children and favourites, of three model versions.
  static let bookmarks = [
    ("V1", #","isFavorite":true"#, " isFavorite"), ("V2", #","isFavorite":true"#, " isFavorite"), ("V3", "", ""),
  ]
  .map { version, more, column in
    AppleStore(
      path: "bookmarks/Bookmarks_\(version).sqlite",
      seeds: [
        "bookmarks.ndjson": [
          #"{"uuid":"33","title":"Thirty-three"}"#,
          #"{"uuid":"2","title":"2"}"#,
          #"{"uuid":"n1","title":"New","url":"https://n1","isFolder":false\#(more),"parent":"bookmarks_root"}"#,
          #"{"uuid":"n2","isFolder":false\#(more),"parent":"3","favoriteFolder":"favorites_root"}"#,
          #"{"uuid":"nf","isFolder":true\#(more),"parent":"bookmarks_root"}"#,
          #"{"uuid":"n3","isFolder":false\#(more),"parent":"nf"}"#,
          #"{"uuid":"n4","isFolder":false\#(more),"parent":"nf"}"#,
        ],
        "favorites.ndjson": [
          #"{"uuid":"favorites_root","favorites":["5","4","33","32","2","n2","n1"]}"#
        ],
      ],
      steps: [
        step(
          "bookmarks", "BookmarkEntity", "uuid", "uuid title url isFolder" + column,
          ["parent: { match: uuid, from: parent }", "favoriteFolder: { match: uuid, from: favoriteFolder }"]),
        step(
          "favorites", "BookmarkEntity", "uuid", "uuid", ["favorites: { match: uuid, from: favorites }"]),
      ],
      expected: [
        // The owner of a list that was set has changed with it, though its row has no column for that.
        TableChange(
          table: "ZBOOKMARKENTITY", inserted: 5,
          changed: [
            "ZUUID = '33'": ["ZTITLE"], "ZUUID = 'favorites_root'": [],
            // And the folders that got members.
            "ZUUID = 'bookmarks_root'": [], "ZUUID = '3'": [],
          ])
      ])
  }

  /// Inheritance and uniqueness constraints.
  static let sampleV1 = sample(
    version: 1, luxury: "ExpensiveSportCar", person: #","id":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11""#, more: " id")
  /// The same after a migration in place: journal mode delete, tables made anew, a stale name in `Z_PRIMARYKEY`.
  static let sampleV2 = sample(version: 2, luxury: "LuxuryCar", person: "", more: "")

  private static func sample(version: Int, luxury: String, person: String, more: String) -> AppleStore {
    let owner = "owner: { match: [firstName, lastName], from: [first, last] }"
    return AppleStore(
      path: "coredataplus/SampleModel_V\(version).sqlite",
      seeds: [
        "persons.ndjson": [
          #"{"firstName":"Victoria","lastName":"Coster","updatedAt":"2026-01-01T00:00:00Z"}"#,
          #"{"firstName":"Ada","lastName":"Lovelace","updatedAt":"1843-01-01T00:00:00Z"\#(person)}"#,
        ],
        "cars.ndjson": [
          #"{"numberPlate":"170","maker":"Fabbrica Italiana Automobili Torino"}"#,
          #"{"numberPlate":"159","maker":"FIAT","model":"Panda"}"#,
          #"{"numberPlate":"NEW-1","maker":"Lancia","first":"Ada","last":"Lovelace"}"#,
        ],
        "sportcars.ndjson": [#"{"numberPlate":"NEW-2","first":"Victoria","last":"Coster"}"#],
        "luxury.ndjson": [#"{"numberPlate":"NEW-3","isLimitedEdition":true}"#],
      ],
      steps: [
        step("persons", "Person", "firstName, lastName", "firstName lastName updatedAt" + more),
        step("cars", "Car", "numberPlate", "numberPlate maker model", [owner]),
        step("sportcars", "SportCar", "numberPlate", "numberPlate", [owner]),
        step("luxury", luxury, "numberPlate", "numberPlate isLimitedEdition"),
      ],
      expected: [
        TableChange(
          table: "ZPERSON", inserted: 1,
          changed: ["ZFIRSTNAME = 'Victoria' AND ZLASTNAME = 'Coster'": ["ZUPDATEDAT"]]),
        TableChange(table: "ZCAR", inserted: 3, changed: ["ZNUMBERPLATE = '170'": ["ZMAKER"]]),
      ])
  }

  /// Derived attributes with triggers, decimals, UUIDs, transformables, history.
  static let library = AppleStore(
    path: "coredataplus/SampleModel2_V1.sqlite",
    seeds: [
      "authors.ndjson": [
        #"{"alias":"Ada","age":36,"siteURL":"https://example.com/ada"}"#, #"{"alias":"Andrea","age":31}"#,
      ],
      "books.ndjson": [
        """
        {"uniqueID":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11","title":"Notes","price":"12.34","cover":"AAEC",\
        "publishedAt":"1843-09-01T00:00:00Z","author":"Ada",\
        "pages":[{"number":1,"content":"AAEC"},{"number":2,"content":"AAEC","isBookmarked":true}]}
        """
      ],
      "titles.ndjson": [#"{"uniqueID":"C4637490-BD7F-4428-B093-63A1720E17D2","title":"Another title"}"#],
      "pages.ndjson": [
        #"{"number":1000,"content":"AAEC","book":"C4637490-BD7F-4428-B093-63A1720E17D2"}"#
      ],
      "feedback.ndjson": [
        #"{"bookID":"6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11","authorAlias":"Ada","rating":4.5,"comment":null}"#
      ],
    ],
    steps: [
      step("authors", "Author", "alias", "alias age siteURL"),
      step(
        "books", "Book", "uniqueID", "uniqueID title price cover publishedAt",
        [
          "author: { match: alias, from: author }",
          "pages: { from: pages, map: { number: number, content: content, isBookmarked: isBookmarked } }",
        ]),
      step("titles", "Book", "uniqueID", "uniqueID title"),
      step("pages", "Page", "", "number content", ["book: { match: uniqueID, from: book }"]),
      step("feedback", "Feedback", "", "bookID authorAlias rating comment"),
    ],
    expected: [
      TableChange(table: "ZWRITER", inserted: 1, changed: ["ZALIAS = 'Andrea'": ["ZAGE"]]),
      TableChange(
        table: "ZBOOK", inserted: 1,
        changed: ["ZUNIQUEID = x'C4637490BD7F4428B09363A1720E17D2'": ["ZTITLE", "ZPAGESCOUNT"]]),
      TableChange(table: "ZPAGE", inserted: 3), TableChange(table: "ZFEEDBACK", inserted: 1),
    ])

  /// A to-many relationship without inverse; the newest framework.
  static let cart = AppleStore(
    path: "cartkit/CartStorage_v1.sqlite",
    seeds: [
      "items.ndjson": [
        #"{"id":"FEAA2483-308A-4FFC-84F0-67CECDE471D0","quantity":7,"modifiers":["m1","m2"]}"#,
        #"{"id":"new","productId":"p","quantity":1,"unitPriceAmount":"2.50","cart":"DB59838B-4108-4EB2-89D0-31B6D7EB6CDA"}"#,
      ],
      "modifiers.ndjson": [
        #"{"id":"m1","name":"Cheese","priceDeltaAmount":"0.5","priceDeltaCurrencyCode":"USD"}"#,
        #"{"id":"m2","name":"Onions","priceDeltaAmount":"-0.25","priceDeltaCurrencyCode":"USD","item":"new"}"#,
      ],
    ],
    steps: [
      step(
        "items", "CDCartItem", "id", "id productId quantity unitPriceAmount",
        ["cart: { match: id, from: cart }", "modifiers: { match: id, from: modifiers }"]),
      step(
        "modifiers", "CDCartItemModifier", "id", "id name priceDeltaAmount priceDeltaCurrencyCode",
        ["item: { match: id, from: item }"]),
    ],
    expected: [
      TableChange(table: "ZCDCARTITEM", inserted: 1, changed: ["ZPRODUCTID = 'burger'": ["ZQUANTITY"]]),
      TableChange(table: "ZCDCARTITEMMODIFIER", inserted: 2),
      // It has one item more.
      TableChange(table: "ZCDCART", inserted: 0, changed: ["Z_PK = 1": []]),
    ])

  /// 23 entities with many-to-many relationships and the index names of an old framework.
  static let integrations = AppleStore(
    path: "xcserver/XCServerCoreData_1.2.0.sqlite", seeds: integrationSeeds, steps: integrationSteps,
    expected: [
      TableChange(
        table: "ZBOT", inserted: 1, changed: ["ZIDENTIFIER = 'a7341f3521c7245492693c0d780006f9'": ["ZNAME"]]),
      TableChange(table: "ZCONFIGURATION", inserted: 1),
      // The other sides of many-to-many relationships.
      TableChange(
        table: "ZREPOSITORY", inserted: 1, changed: ["ZIDENTIFIER = 'FBDCD372C080F115B518613EB0C4141F30E28CCE'": []]),
      TableChange(
        table: "ZINTEGRATION", inserted: 1, changed: ["ZIDENTIFIER = '7b0bfdf8f209bf9b85b8aa02051031e7'": []]),
      TableChange(
        table: "ZDEVICE", inserted: 1,
        changed: [
          "ZIDENTIFIER = '7b0bfdf8f209bf9b85b8aa0205007843'": [],
          "ZIDENTIFIER = '7b0bfdf8f209bf9b85b8aa0205006201'": [],
        ]),
      TableChange(table: "Z_8REPOSITORIES", inserted: 2),
      TableChange(table: "Z_9INTEGRATIONS", inserted: 4),
    ])

  /// An app-made store without a row, and an import that needs none.
  static let template = AppleStore(
    path: "xcserver/XCServerCoreData_2.0.0_empty.sqlite",
    seeds: [
      "devices.ndjson": (1...40).map { #"{"identifier":"D\#($0)","name":"Phone \#($0)"}"# },
      "repositories.ndjson": [#"{"identifier":"R1"}"#, #"{"identifier":"R2"}"#],
      "configurations.ndjson": [#"{"schemeName":"S1","repositories":["R2","R1"]}"#],
      "bots.ndjson": [#"{"identifier":"B1","name":"One"}"#, #"{"identifier":"B2","name":"Two"}"#],
      "integrations.ndjson": (1...40).map {
        #"{"identifier":"I\#($0)","number":\#($0),"bot":"B\#($0 % 2 + 1)","testedDevices":["D\#($0)","D\#(41 - $0)"]}"#
      },
    ], steps: integrationSteps, expected: [])

  private static let integrationSeeds = [
    "devices.ndjson": [#"{"identifier":"D-NEW","name":"Phone"}"#],
    "repositories.ndjson": [#"{"identifier":"R-NEW","url":"https://example.com/r"}"#],
    "configurations.ndjson": [
      #"{"schemeName":"New","repositories":["R-NEW","FBDCD372C080F115B518613EB0C4141F30E28CCE"]}"#
    ],
    "bots.ndjson": [
      #"{"identifier":"a7341f3521c7245492693c0d780006f9","name":"Renamed"}"#,
      #"{"identifier":"B-NEW","name":"New"}"#,
    ],
    "integrations.ndjson": [
      """
      {"identifier":"I-NEW","number":99,"bot":"a7341f3521c7245492693c0d780006f9",\
      "testedDevices":["D-NEW","7b0bfdf8f209bf9b85b8aa0205006201"]}
      """,
      """
      {"identifier":"7b0bfdf8f209bf9b85b8aa02051031e7","testedDevices":["D-NEW","7b0bfdf8f209bf9b85b8aa0205007843"]}
      """,
    ],
  ]

  private static let integrationSteps = [
    step("devices", "Device", "identifier", "identifier name"),
    step("repositories", "Repository", "identifier", "identifier url"),
    step(
      "configurations", "Configuration", "schemeName", "schemeName",
      ["repositories: { match: identifier, from: repositories }"]),
    step("bots", "Bot", "identifier", "identifier name"),
    step(
      "integrations", "Integration", "identifier", "identifier number",
      ["bot: { match: identifier, from: bot }", "testedDevices: { match: identifier, from: testedDevices }"]),
  ]

  /// A step that maps properties to fields of the same names.
  private static func step(
    _ seed: String, _ entity: String, _ match: String, _ names: String, _ more: [String] = []
  ) -> String {
    let map = names.split(separator: " ").map { "\($0): \($0)" } + more
    let lines =
      ["- from: \(seed).ndjson", "  entity: \(entity)"] + (match.isEmpty ? [] : ["  match: [\(match)]"]) + ["  map:"]
      + map.map { "    " + $0 }
    return lines.map { "  " + $0 }.joined(separator: "\n")
  }
}
