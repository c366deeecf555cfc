#!/usr/bin/env python3
"""Compares a transit store with the CSV files it was built from, without using any code of the project.

usage: transit-checksum.py DATA_FOLDER STORE [--loosely]

From either side every row becomes the same tuple of plain values: relationships as the natural key of their
destination, times as seconds, empty fields as null. Per entity the two sides must agree in the number of rows, in a
hash over all rows that does not depend on their order, and per column in the number of nulls and the sum of the column
(numbers as they are, texts by a hash). Prints the result as JSON; exit code 1 when anything differs.

--loosely is for a store made with the sqlite3 shell: normalized names are left out, because the shell has nothing to fold
accents with, and coordinates count to seven decimals, because SQLite's conversion of text is not always the nearest
double.
"""
import csv
import gzip
import json
import os
import sqlite3
import sys
import unicodedata
import zlib

MASK = (1 << 64) - 1


class Sums:
    """Order-independent sums over rows of plain values."""

    def __init__(self, columns):
        self.columns = columns
        self.rows = 0
        self.hash = 0
        self.nulls = [0] * len(columns)
        self.sums = [0] * len(columns)

    def add(self, row):
        self.rows += 1
        text = repr(row).encode()
        # Two 32-bit checksums make one 64-bit hash per row; adding them up forgets the order.
        self.hash = (self.hash + (zlib.crc32(text) << 32 | zlib.adler32(text))) & MASK
        for index, value in enumerate(row):
            if value is None:
                self.nulls[index] += 1
            elif isinstance(value, str):
                self.sums[index] += zlib.crc32(value.encode())
            elif isinstance(value, float):
                self.sums[index] += round(value * 10_000_000)
            else:
                self.sums[index] += value

    def result(self):
        columns = {name: {"nulls": n, "sum": s} for name, n, s in zip(self.columns, self.nulls, self.sums)}
        return {"rows": self.rows, "hash": f"{self.hash:016x}", "columns": columns}


def text(field):
    return field if field != "" else None


def integer(field, default=None):
    return int(field) if field != "" else default


def seconds(field):
    if field == "":
        return None
    hours, minutes, rest = field.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


def folded(name):
    """Case and accents removed, as a Unicode table does it."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", plain)


ROUTE = ["identifier", "shortName", "longName", "kind", "color"]
STOP = ["identifier", "name", "latitude", "longitude", "locationType", "zone", "parent", "normalizedName"]
TRIP = ["identifier", "headsign", "direction", "serviceIdentifier", "shapeIdentifier", "route"]
STOP_TIME = ["trip", "stop", "arrivalTime", "departureTime", "sequence", "pickupKind", "dropOffKind"]

FROM_CSV = {
    "Route": ("routes", ROUTE, lambda f: (
        f["route_id"], text(f["route_short_name"]), text(f["route_long_name"]), int(f["route_type"]),
        text(f["route_color"]))),
    "Stop": ("stops", STOP, lambda f: (
        f["stop_id"], f["stop_name"], float(f["stop_lat"]), float(f["stop_lon"]), integer(f["location_type"], 0),
        text(f["zone_id"]), text(f["parent_station"]), folded(f["stop_name"]))),
    "Trip": ("trips", TRIP, lambda f: (
        f["trip_id"], text(f["trip_headsign"]), integer(f["direction_id"]), f["service_id"], text(f["shape_id"]),
        f["route_id"])),
    "StopTime": ("stop_times", STOP_TIME, lambda f: (
        f["trip_id"], f["stop_id"], seconds(f["arrival_time"]), seconds(f["departure_time"]), int(f["stop_sequence"]),
        integer(f["pickup_type"], 0), integer(f["drop_off_type"], 0))),
}

FROM_STORE = {
    "Route": "SELECT ZIDENTIFIER, ZSHORTNAME, ZLONGNAME, ZKIND, ZCOLOR FROM ZROUTE",
    "Stop": """SELECT s.ZIDENTIFIER, s.ZNAME, s.ZLATITUDE, s.ZLONGITUDE, s.ZLOCATIONTYPE, s.ZZONE, p.ZIDENTIFIER,
                 s.ZNORMALIZEDNAME FROM ZSTOP s LEFT JOIN ZSTOP p ON p.Z_PK = s.ZPARENT""",
    "Trip": """SELECT t.ZIDENTIFIER, t.ZHEADSIGN, t.ZDIRECTION, t.ZSERVICEIDENTIFIER, t.ZSHAPEIDENTIFIER, r.ZIDENTIFIER
                 FROM ZTRIP t LEFT JOIN ZROUTE r ON r.Z_PK = t.ZROUTE""",
    "StopTime": """SELECT t.ZIDENTIFIER, s.ZIDENTIFIER, x.ZARRIVALTIME, x.ZDEPARTURETIME, x.ZSEQUENCE, x.ZPICKUPKIND,
                 x.ZDROPOFFKIND FROM ZSTOPTIME x LEFT JOIN ZSTOP s ON s.Z_PK = x.ZSTOP
                 LEFT JOIN ZTRIP t ON t.Z_PK = x.ZTRIP""",
}


def compared(row, loosely):
    """What of a row is compared; the normalized name is the last column of Stop."""
    if not loosely:
        return row
    return tuple(round(v * 10_000_000) if isinstance(v, float) else v for v in row[:7])


def from_csv(folder, entity, loosely):
    name, columns, row = FROM_CSV[entity]
    sums = Sums(compared(columns, loosely))
    with gzip.open(os.path.join(folder, name + ".csv.gz"), "rt", encoding="utf-8", newline="") as file:
        for fields in csv.DictReader(file):
            sums.add(compared(row(fields), loosely))
    return sums.result()


def from_store(store, entity, loosely):
    sums = Sums(compared(FROM_CSV[entity][1], loosely))
    for row in store.execute(FROM_STORE[entity]):
        sums.add(compared(row, loosely))
    return sums.result()


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    loosely = "--loosely" in sys.argv
    store = sqlite3.connect(f"file:{arguments[1]}?mode=ro", uri=True)
    report, agree = {}, True
    for entity in FROM_CSV:
        expected = from_csv(arguments[0], entity, loosely)
        found = from_store(store, entity, loosely)
        same = expected == found
        agree = agree and same
        report[entity] = {"agrees": same, "rows": found["rows"], "hash": found["hash"]}
        if not same:
            report[entity]["differences"] = {
                "rows": [expected["rows"], found["rows"]],
                "columns": {
                    name: [column, found["columns"][name]]
                    for name, column in expected["columns"].items() if column != found["columns"][name]
                },
            }
    integrity = store.execute("PRAGMA integrity_check").fetchone()[0]
    print(json.dumps({"agrees": agree and integrity == "ok", "integrity": integrity, "entities": report}, indent=2))
    sys.exit(0 if agree and integrity == "ok" else 1)


main()
