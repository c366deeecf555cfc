"""The bars of scripts/benchmark: what Seedbed does, what the peer does, and how both answers are checked.

A bar has a title, a limit (the most that Seedbed's time may be, as a share of the peer's), the peer's part of the yardstick or
the programs that must be there, and four functions of a `Bench`: `prepare` (once), `ours` and `theirs` (a command, its folder
and environment, given anew before each run, with the work that is not measured), and `check` (once per side and run, it
raises Failure). `limit` of a bar without a peer is in seconds of processor time.
"""
import gzip
import itertools
import json
import os
import shutil
import sqlite3
import subprocess

from measuring import Failure

SUMS = ("count(*)", "sum({0})", "sum({1})", "sum({2})", "sum({3})", "sum({4})", "sum({5})", "sum({6})")
OURS = ["ZARRIVALTIME", "ZDEPARTURETIME", "ZSEQUENCE", "ZPICKUPKIND", "ZDROPOFFKIND", "ZSTOP", "ZTRIP"]
THEIRS = ["ZARRIVALTIME", "ZDEPARTURETIME", "ZSTOPSEQUENCE", "ZPICKUPTYPE", "ZDROPOFFTYPE", "ZSTOP", "ZTRIP"]
DUCKDB = ["ZA", "ZD", "stop_sequence", "pickup_type", "drop_off_type", "ZSTOP", "ZTRIP"]
EXPORTED = ["trip.identifier", "stop.identifier", "sequence", "arrivalTime", "departureTime", "pickupKind", "dropOffKind"]
EXPORT_SQL = """SELECT t.ZIDENTIFIER, s.ZIDENTIFIER, x.ZSEQUENCE, x.ZARRIVALTIME, x.ZDEPARTURETIME, x.ZPICKUPKIND, x.ZDROPOFFKIND
FROM ZSTOPTIME AS x LEFT JOIN ZTRIP AS t ON t.Z_PK = x.ZTRIP LEFT JOIN ZSTOP AS s ON s.Z_PK = x.ZSTOP ORDER BY x.Z_PK"""
NDJSON_SQL = """SELECT count(*), sum(stop_sequence), max(arrival_time), max(trip_id), max(stop_id)
FROM read_json('data/stop_times.ndjson.gz', format='newline_delimited', columns={trip_id: 'VARCHAR', arrival_time: 'VARCHAR',
departure_time: 'VARCHAR', stop_id: 'VARCHAR', stop_sequence: 'INTEGER', pickup_type: 'INTEGER', drop_off_type: 'INTEGER'})"""


class Bench:
    """Where everything lies. Commands run in `work`, which has data/, bin/ and peers/ as the yardstick wants, and out/."""

    def __init__(self, root, seedbed, data, yardstick, python, work):
        self.root, self.seedbed, self.data = root, seedbed, data
        self.yardstick, self.python, self.work = yardstick, python, work
        self.out = os.path.join(work, "out")
        self.kept = os.path.join(work, "kept")
        self.expected = None
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(self.out)
        os.makedirs(self.kept)
        os.symlink(data, os.path.join(work, "data"))
        for name in ["bin", "peers"] if yardstick else []:
            os.symlink(os.path.join(yardstick, name), os.path.join(work, name))

    def helper(self, name):
        return os.path.join(self.root, "scripts", "benchmarks", name)

    def empty_out(self):
        shutil.rmtree(self.out)
        os.makedirs(self.out)

    def run(self, pipeline, data=None):
        """The command of a pipeline run, with its environment."""
        environment = dict(os.environ, TRANSIT_DATA=data or self.data, TRANSIT_OUT=self.out)
        return [self.seedbed, "run", pipeline, "--quiet"], environment

    def keep(self, name, command, environment, result):
        """Runs a command once, not measured, and keeps one of its results."""
        kept = os.path.join(self.kept, name)
        if not os.path.exists(kept):
            self.empty_out()
            subprocess.run(command, cwd=self.work, env=environment, check=True, stdout=subprocess.DEVNULL)
            os.rename(os.path.join(self.out, result), kept)
        return kept

    def transit(self):
        """A store of pipelines/transit-full.yaml."""
        return self.keep("Transit.sqlite", *self.run(self.pipeline("transit-full")), "Transit.sqlite")

    def pipeline(self, name):
        return os.path.join(self.root, "pipelines", name + ".yaml")

    def sums(self, path, columns):
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return list(store.execute(f"SELECT {', '.join(SUMS).format(*columns)} FROM ZSTOPTIME").fetchone())
        finally:
            store.close()

    def expect(self, found, what):
        """Every store of the same data must have the sums of the first one, which the CSV files are compared with."""
        if self.expected is None:
            self.expected = self.sums(self.transit(), OURS)
        if list(found) != self.expected:
            raise Failure(f"{what}: sums over the stop times are {found}, not {self.expected}")


class Build:
    """The full-size feed into a new store, against a program that does the same work."""

    def __init__(self, key, title, limit, command, result, columns, needs, environment=None):
        self.key, self.title, self.limit, self.needs = key, title, limit, needs
        self.command, self.result, self.columns, self.environment = command, result, columns, environment or {}

    def prepare(self, bench):
        bench.transit()

    def ours(self, bench):
        bench.empty_out()
        return bench.run(bench.pipeline("transit-full"))

    def theirs(self, bench):
        bench.empty_out()
        command = [bench.python if part == "PYTHON" else part for part in self.command]
        return command, dict(os.environ, **self.environment)

    def check(self, bench, side):
        if side == "ours":
            bench.expect(bench.sums(os.path.join(bench.out, "Transit.sqlite"), OURS), "Seedbed")
        elif self.columns is DUCKDB:
            sql = f"SELECT {', '.join(SUMS).format(*DUCKDB)} FROM ZSTOPTIME"
            code = f"import duckdb, json; print(json.dumps([int(x) for x in duckdb.connect('out/p.duckdb').execute({sql!r}).fetchone()]))"
            answer = subprocess.run([bench.python, "-c", code], cwd=bench.work, stdout=subprocess.PIPE, check=True)
            bench.expect(json.loads(answer.stdout), self.title)
        else:
            bench.expect(bench.sums(os.path.join(bench.out, self.result), self.columns), self.title)


class Reimport:
    """The feed again, over a store that has it, against ON CONFLICT DO UPDATE; some records may have changed."""

    needs = ["bin/yard"]

    def __init__(self, key, title, limit, changed):
        self.key, self.title, self.limit, self.changed = key, title, limit, changed
        self.pipelines = ["transit-reimport.yaml"]

    def pipeline(self, bench):
        return bench.helper(self.pipelines[0])

    def prepare(self, bench):
        bench.keep("Reimport.sqlite", *bench.run(self.pipeline(bench)), "Transit.sqlite")
        bench.keep(
            "raw.db", ["bin/yard", "raw", "data", "out/raw.db", "zlib", "u", "after"], dict(os.environ), "raw.db")
        self.data = bench.data
        if self.changed:
            self.data = os.path.join(bench.kept, "changed")
            if not os.path.exists(self.data):
                change(bench.data, self.data)

    def ours(self, bench):
        bench.empty_out()
        shutil.copyfile(os.path.join(bench.kept, "Reimport.sqlite"), os.path.join(bench.out, "Transit.sqlite"))
        os.sync()
        return bench.run(self.pipeline(bench), self.data)

    def theirs(self, bench):
        bench.empty_out()
        shutil.copyfile(os.path.join(bench.kept, "raw.db"), os.path.join(bench.out, "raw.db"))
        os.sync()
        environment = dict(os.environ, **({"SHIFT": "60", "CHG": "100"} if self.changed else {}))
        return ["bin/yard", "upsert", "data", "out/raw.db", "zlib", "u", "after"], environment

    def check(self, bench, side):
        name, columns = ("Transit.sqlite", OURS) if side == "ours" else ("raw.db", THEIRS)
        sums = bench.sums(os.path.join(bench.out, name), columns)
        if self.changed:
            rows = (sums[0] + 99) // 100
            sums = [sums[0], sums[1] - 60 * rows, sums[2] - 60 * rows] + sums[3:]
        bench.expect(sums, f"{self.title}, {side}")


class FindOrCreate(Reimport):
    """1,000,000 stop times found one by one, of which half are stored, against SELECT and INSERT in one transaction."""

    key, title, limit = "find-or-create", "find-or-create of 1,000,000 records, half stored, against C `SELECT`, `INSERT`", 1.0
    count, changed = 1_000_000, False
    pipelines = ["transit-reimport.yaml", "transit-find-or-create.yaml"]

    def __init__(self):
        pass

    def prepare(self, bench):
        self.data, half = os.path.join(bench.kept, "found"), os.path.join(bench.kept, "half")
        for target, count in [(half, self.count // 2), (self.data, self.count)]:
            if not os.path.exists(target):
                first(bench.data, target, count)
        bench.keep("Half.sqlite", *bench.run(self.pipeline(bench), half), "Transit.sqlite")
        command = ["bin/yard", "raw", half, "out/raw.db", "zlib", "u", "before"]
        bench.keep("half.db", command, dict(os.environ), "raw.db")

    def ours(self, bench):
        bench.empty_out()
        shutil.copyfile(os.path.join(bench.kept, "Half.sqlite"), os.path.join(bench.out, "Transit.sqlite"))
        os.sync()
        return bench.run(bench.helper(self.pipelines[1]), self.data)

    def theirs(self, bench):
        bench.empty_out()
        shutil.copyfile(os.path.join(bench.kept, "half.db"), os.path.join(bench.out, "raw.db"))
        os.sync()
        return ["bin/yard", "foc", self.data, "out/raw.db", "zlib", "u", "before"], dict(os.environ)

    def check(self, bench, side):
        name, columns = ("Transit.sqlite", OURS) if side == "ours" else ("raw.db", THEIRS)
        sums = bench.sums(os.path.join(bench.out, name), columns)
        self.sums = getattr(self, "sums", sums)
        if sums != self.sums or sums[0] != self.count:
            raise Failure(f"{self.title}, {side}: sums over the stop times are {sums}, not {self.sums}")


class AnotherBuild:
    """What Seedbed does in a bar, against another build of it."""

    limit = 1.05

    def __init__(self, bar, program):
        self.bar, self.program = bar, program
        self.key, self.title = bar.key, bar.title.split(", against")[0]
        self.pipelines, self.inputs = getattr(bar, "pipelines", []), getattr(bar, "inputs", [])
        # The yardstick makes what a bar begins with; the other programs are only compared with.
        self.needs = [need for need in bar.needs if need == "bin/yard" and not isinstance(bar, Build)]
        if isinstance(bar, Build):
            self.title = "the full-size feed into a new store"

    def prepare(self, bench):
        self.bar.prepare(bench)

    def ours(self, bench):
        return self.bar.ours(bench)

    def theirs(self, bench):
        command, environment = self.bar.ours(bench)
        return [self.program if part == bench.seedbed else part for part in command], environment

    def check(self, bench, side):
        self.bar.check(bench, "ours")


class NDJSON:
    """A store from the stop times as NDJSON, against DuckDB, which only parses them."""

    key, title, limit = "ndjson", "NDJSON, against DuckDB's `read_json`, parse only", 1.0
    needs = ["duckdb"]
    pipelines = ["transit-ndjson.yaml"]
    inputs = ["stop_times.ndjson.gz"]

    def prepare(self, bench):
        bench.transit()

    def ours(self, bench):
        bench.empty_out()
        return bench.run(bench.helper(self.pipelines[0]))

    def theirs(self, bench):
        bench.empty_out()
        code = f"import duckdb; print(duckdb.connect().execute({NDJSON_SQL!r}).fetchone())"
        return [bench.python, "-c", code], dict(os.environ)

    def check(self, bench, side):
        if side == "ours":
            bench.expect(bench.sums(os.path.join(bench.out, "Transit.sqlite"), OURS), "NDJSON")


class Export:
    """All stop times as gzipped CSV, with the identifiers of their trips and stops, against the shell and gzip."""

    needs = ["sqlite3", "gzip"]

    def __init__(self, key, title, columns, sql):
        self.key, self.title, self.limit = key, title, 0.60
        self.columns, self.sql = columns, sql

    def prepare(self, bench):
        self.store = bench.transit()
        self.digests = set()

    def ours(self, bench):
        bench.empty_out()
        model = os.path.join(bench.root, "seeds", "transit", "Transit.xcdatamodeld")
        return [
            bench.seedbed, "export", self.store, "--model", model, "--entity", "StopTime", "--columns",
            ",".join(self.columns), "--output", "out/export.csv.gz", "--quiet",
        ], dict(os.environ)

    def theirs(self, bench):
        bench.empty_out()
        script = 'sqlite3 -csv -header "$STORE" "$SQL" | gzip > out/export.csv.gz'
        return ["sh", "-c", script], dict(os.environ, STORE=self.store, SQL=self.sql)

    def check(self, bench, side):
        path = os.path.join(bench.out, "export.csv.gz")
        # The header's names differ, and the shell ends lines with CRLF only on Windows: the rest must be the same.
        answer = subprocess.run(f"gzip -dc '{path}' | tail -n +2 | cksum", shell=True, stdout=subprocess.PIPE, check=True)
        self.digests.add(answer.stdout)
        if len(self.digests) != 1:
            raise Failure(f"{self.title}: the exported rows differ")


class Small:
    """A pipeline of 400 records, which is nearly all start-up; processor seconds instead of a peer."""

    limit, needs = 0.060, []

    def folder(self, bench):
        return os.path.join(bench.kept, self.key)

    def write(self, bench, name, text):
        with open(os.path.join(self.folder(bench), name), "w") as file:
            file.write(text)

    def prepare(self, bench):
        if os.path.exists(self.folder(bench)):
            shutil.rmtree(self.folder(bench))
        os.makedirs(self.folder(bench))
        model = self.model + ".xcdatamodeld"
        shutil.copytree(os.path.join(bench.root, "seeds", self.seeds, model), os.path.join(self.folder(bench), model))
        self.make(bench)

    def ours(self, bench):
        shutil.rmtree(os.path.join(self.folder(bench), "out"), ignore_errors=True)
        return [bench.seedbed, "run", os.path.join(self.folder(bench), "small.yaml"), "--quiet"], dict(os.environ)

    def check(self, bench, side):
        store = sqlite3.connect(os.path.join(self.folder(bench), "out", self.model + ".sqlite"))
        count = store.execute(f"SELECT count(*) FROM {self.table}").fetchone()[0]
        store.close()
        if count != 400:
            raise Failure(f"{self.title}: {count} records")


class SmallFlat(Small):
    """400 stops as CSV."""

    key, title = "small", "start to finish of a pipeline of 400 CSV records, processor seconds"
    seeds, model, table = "transit", "Transit", "ZSTOP"

    def make(self, bench):
        with gzip.open(os.path.join(self.folder(bench), "stops.csv.gz"), "wt") as file:
            file.write("stop_id,stop_name,stop_lat,stop_lon\n")
            for number in range(400):
                file.write(f"s{number},Stop {number},{47 + number / 1000:.4f},{8 + number / 500:.4f}\n")
        self.write(
            bench, "small.yaml",
            "model: Transit.xcdatamodeld\nstore: { path: out/Transit.sqlite }\nimport:\n"
            "  - from: stops.csv.gz\n    entity: Stop\n    match: [identifier]\n"
            "    map: { identifier: stop_id, name: stop_name, normalizedName: normalized(stop_name), "
            "latitude: stop_lat, longitude: stop_lon }\n")


class SmallNested(Small):
    """400 venues as one JSON document: 1,455 objects of five entities, some of them shared, and an export."""

    key = "small-nested"
    title = "the same of 400 nested JSON records, which become 1,455 objects, processor seconds"
    seeds, model, table = "bubble-tea", "BubbleTea", "ZVENUE"

    def make(self, bench):
        with gzip.open(os.path.join(bench.root, "seeds", self.seeds, "seed.json.gz")) as file:
            document = json.load(file)
        venues = document["response"]["venues"]
        document["response"]["venues"] = [
            dict(venues[number % len(venues)], id=f"{number:024x}") for number in range(400)
        ]
        with gzip.open(os.path.join(self.folder(bench), "seed.json.gz"), "wt") as file:
            json.dump(document, file)
        with open(bench.pipeline("bubble-tea")) as file:
            self.write(bench, "small.yaml", file.read().replace("../seeds/bubble-tea/", "").replace("../build/", "out/"))


def change(data, target):
    """A copy of the feed in which every hundredth stop time is a minute later."""
    os.makedirs(target)
    for name in ["stops", "routes", "trips"]:
        os.symlink(os.path.join(data, name + ".csv.gz"), os.path.join(target, name + ".csv.gz"))

    def later(time):
        hours, minutes, seconds = time.split(":")
        total = int(hours) * 60 + int(minutes) + 1
        return f"{total // 60:02}:{total % 60:02}:{seconds}"

    with gzip.open(os.path.join(data, "stop_times.csv.gz"), "rt", newline="") as source:
        with gzip.open(os.path.join(target, "stop_times.csv.gz"), "wt", compresslevel=6, newline="") as copy:
            header = next(source)
            arrival, departure = (header.rstrip("\r\n").split(",").index(n) for n in ["arrival_time", "departure_time"])
            copy.write(header)
            for number, line in enumerate(source):
                if number % 100 == 0:
                    fields = line.split(",")
                    fields[arrival], fields[departure] = later(fields[arrival]), later(fields[departure])
                    line = ",".join(fields)
                copy.write(line)


def first(data, target, count):
    """A copy of the feed with its first stop times."""
    os.makedirs(target)
    for name in set(os.listdir(data)) - {"stop_times.csv.gz"}:
        os.symlink(os.path.join(data, name), os.path.join(target, name))
    with gzip.open(os.path.join(data, "stop_times.csv.gz"), "rb") as source:
        with gzip.open(os.path.join(target, "stop_times.csv.gz"), "wb", compresslevel=6) as copy:
            copy.writelines(itertools.islice(source, count + 1))


BARS = [
    Build(
        "yardstick", "C on SQLite's API, indexes after", 0.20,
        ["bin/yard", "raw", "data", "out/raw.db", "zlib", "a", "after"], "raw.db", THEIRS, ["bin/yard"]),
    Build(
        "shell", "the `sqlite3` shell doing the full job", 0.08, ["sh", "peers/p_cli_full.sh"], "p.db", THEIRS,
        ["peers/p_cli_full.sh", "sqlite3"], {"PRAG": "PRAGMA journal_mode=OFF;"}),
    Build(
        "duckdb", "DuckDB loading and indexing in its own format", 0.30, ["PYTHON", "peers/p_duck.py", "own", "idx"],
        "p.duckdb", DUCKDB, ["peers/p_duck.py", "duckdb"]),
    Build(
        "polars", "polars and ADBC to SQLite", 0.15, ["PYTHON", "peers/p_polars.py"], "p.db", THEIRS,
        ["peers/p_polars.py", "polars", "adbc_driver_sqlite"]),
    Reimport("reimport-unchanged", "re-import unchanged, against C `ON CONFLICT DO UPDATE`", 0.25, False),
    Reimport("reimport-changed", "re-import with 1 % changed, against C `ON CONFLICT DO UPDATE`", 0.40, True),
    FindOrCreate(),
    NDJSON(),
    Export("export", "CSV export of 3,000,000 rows to gz, against `sqlite3 -csv \\| gzip`", EXPORTED, EXPORT_SQL),
    Export(
        "export-plain", "the same without the identifiers of trips and stops", EXPORTED[2:],
        "SELECT ZSEQUENCE, ZARRIVALTIME, ZDEPARTURETIME, ZPICKUPKIND, ZDROPOFFKIND FROM ZSTOPTIME ORDER BY Z_PK"),
    SmallFlat(),
    SmallNested(),
]
