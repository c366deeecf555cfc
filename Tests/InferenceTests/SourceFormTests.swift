import Testing

@testable import Inference

@Suite("What stands above, behind and around the records")
struct SourceFormTests {
  private static func bytes(_ lines: [String]) -> [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

  private static func titles(_ lines: [String]) -> TitleSniffer.Finding? {
    let head = bytes(lines)
    let sniffer = DialectSniffer(head: head, isWhole: true)
    let dialect = sniffer.dialect(named: UInt8(ascii: ",")).dialect
    return TitleSniffer(head: head, isWhole: true, named: UInt8(ascii: ",")).titles(
      DialectSniffer.records(head, dialect, isWhole: true), share: sniffer.measure(dialect).share)
  }

  static let preambles: [(name: String, lines: [String], count: Int?)] = [
    (
      "the World Bank",
      [
        "\"Data Source\",\"World Development Indicators\",", "", "\"Last Updated Date\",\"2024-05-30\",", "",
        "\"Country Name\",\"Country Code\",\"Indicator Name\",\"2021\",\"2022\",\"2023\",",
        "\"Aruba\",\"ABW\",\"Population, total\",\"106537\",\"106445\",\"\",",
        "\"Angola\",\"AGO\",\"Population, total\",\"34503774\",\"35588987\",\"\",",
      ], 3
    ),
    (
      "a bank",
      [
        "Account;DE02 1203 0000", "Period;01.01.2024 - 31.01.2024", "", "Balance;1.234,56 EUR", "",
        "Date;Payee;Purpose;Amount", "02.01.2024;Baker;bread;-3,50", "03.01.2024;Employer;salary;2.500,00",
        "04.01.2024;Tram;ticket;-2,90",
      ], 4
    ),
    ("a logger", ["Device: T-1000", "Serial: 1", "", "time,temp,hum", "10:00,20.5,40", "10:10,20.6,41"], 2),
    ("no title", ["name,tags", "Ann,a,b,c", "Bob,d,e,f", "Cid,g,h,i"], nil),
    ("data", ["a,b,c,d", "1,2,3,4", "5,6,7,8"], nil),
    ("short rows", ["id,n", "1,x", "2,y", "3,z,w,v", "4,z,w,v"], nil),
  ]

  @Test("lines above a header of many names are counted", arguments: preambles)
  func countsTitles(name: String, lines: [String], count: Int?) {
    #expect(Self.titles(lines)?.count == count)
  }

  static let trailing: [(name: String, lines: [String], names: [String]?, isInRecords: Bool)] = [
    ("records end with one", ["a,b", "1,2,", "3,4,"], ["a", "b"], true),
    ("texts, too", ["name;city", "Ann;Rome;", "Bob;Oslo;", "Cid;Bonn;"], ["name", "city"], true),
    ("the header ends with one", ["a,b,", "1,2", "3,4"], ["a", "b"], false),
    ("a value is behind it", ["a,b", "1,2,", "3,4,x"], nil, false),
    ("two fields more", ["a,b", "1,2,,", "3,4,,"], nil, false),
    ("all lines alike", ["a,b,", "1,2,", "3,4,"], nil, false),
    ("no header", ["1,2", "3,4,", "5,6,"], nil, false),
  ]

  @Test("a header of another width is told where a delimiter stands at the end of lines", arguments: trailing)
  func endsOfLines(name: String, lines: [String], names: [String]?, isInRecords: Bool) {
    let found = TrailingDelimiter(head: Self.bytes(lines), isWhole: true, named: UInt8(ascii: ","))
    #expect(found?.names == names)
    #expect(found == nil || found?.isInRecords == isInRecords)
  }
}
