import Testing

@testable import Inference

@Suite("The part of a file's name that says what is in it")
struct FileStemTests {
  @Test(
    "a file's name is what stands before its extensions",
    arguments: [
      ("in/title.basics.tsv.gz", "title.basics"), ("name.basics.tsv", "name.basics"), ("stops.csv", "stops"),
      ("feed.zip!in/a.txt", "a"), ("orders.2024-01-05.csv", "orders"), ("stops.v2.csv", "stops"),
      ("airports.dat", "airports"),
      ("u.item", "u.item"), ("u.data.gz", "u.data"), ("README", "README"), (".csv", "csv"), ("a.JSON", "a"),
      ("title.basics.gz", "title.basics"), ("x.tar.csv", "x.tar"),
    ])
  func stems(path: String, stem: String) {
    #expect(FileStem.stem(of: path) == stem)
  }

  @Test("names with dots become entities of several words")
  func entities() {
    var names = ModelNames()
    #expect(names.entity(FileStem.stem(of: "title.basics.tsv")) == "TitleBasics")
    #expect(names.entity(FileStem.stem(of: "name.basics.tsv.gz")) == "NameBasics")
    #expect(names.entity(FileStem.stem(of: "title.ratings.tsv.gz")) == "TitleRating")
  }
}
