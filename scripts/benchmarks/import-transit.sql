-- The work of pipelines/transit-full.yaml done with the sqlite3 shell: the CSV files of the current folder, already
-- decompressed, become the tables and indexes that the store has. Bookkeeping tables and text folding beyond lower()
-- are left out, so the shell has a little less to do.

PRAGMA page_size = 4096;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA temp_store = FILE;

CREATE TABLE ZROUTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZKIND INTEGER, ZCOLOR VARCHAR,
  ZIDENTIFIER VARCHAR, ZLONGNAME VARCHAR, ZSHORTNAME VARCHAR );
CREATE TABLE ZSTOP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLOCATIONTYPE INTEGER, ZPARENT INTEGER,
  ZLATITUDE FLOAT, ZLONGITUDE FLOAT, ZIDENTIFIER VARCHAR, ZNAME VARCHAR, ZNORMALIZEDNAME VARCHAR, ZZONE VARCHAR );
CREATE TABLE ZSTOPTIME ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZARRIVALTIME INTEGER,
  ZDEPARTURETIME INTEGER, ZDROPOFFKIND INTEGER, ZPICKUPKIND INTEGER, ZSEQUENCE INTEGER, ZSTOP INTEGER, ZTRIP INTEGER );
CREATE TABLE ZTRIP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDIRECTION INTEGER, ZROUTE INTEGER,
  ZHEADSIGN VARCHAR, ZIDENTIFIER VARCHAR, ZSERVICEIDENTIFIER VARCHAR, ZSHAPEIDENTIFIER VARCHAR );

-- The staging tables live in a database of their own, so that the result holds nothing else.
ATTACH 'staging.sqlite' AS staging;
PRAGMA staging.journal_mode = OFF;
PRAGMA staging.synchronous = OFF;

.mode csv
.import --schema staging stops.csv stops
.import --schema staging routes.csv routes
.import --schema staging trips.csv trips
.import --schema staging stop_times.csv stop_times

BEGIN;

INSERT INTO ZSTOP
SELECT rowid, 2, 1, CAST(coalesce(nullif(location_type, ''), 0) AS INTEGER), NULL, CAST(stop_lat AS REAL),
  CAST(stop_lon AS REAL), stop_id, stop_name, lower(stop_name), nullif(zone_id, '')
FROM staging.stops ORDER BY rowid;
CREATE UNIQUE INDEX Z_Stop_UNIQUE_identifier ON ZSTOP (ZIDENTIFIER COLLATE BINARY ASC);
UPDATE ZSTOP SET ZPARENT = (
  SELECT parent.Z_PK FROM staging.stops AS source JOIN ZSTOP AS parent ON parent.ZIDENTIFIER = source.parent_station
  WHERE source.rowid = ZSTOP.Z_PK);

INSERT INTO ZROUTE
SELECT rowid, 1, 1, CAST(route_type AS INTEGER), nullif(route_color, ''), route_id, nullif(route_long_name, ''),
  nullif(route_short_name, '')
FROM staging.routes ORDER BY rowid;
CREATE UNIQUE INDEX Z_Route_UNIQUE_identifier ON ZROUTE (ZIDENTIFIER COLLATE BINARY ASC);

INSERT INTO ZTRIP
SELECT source.rowid, 4, 1, CAST(nullif(direction_id, '') AS INTEGER), ZROUTE.Z_PK, nullif(trip_headsign, ''), trip_id,
  service_id, nullif(shape_id, '')
FROM staging.trips AS source LEFT JOIN ZROUTE ON ZROUTE.ZIDENTIFIER = source.route_id ORDER BY source.rowid;
CREATE UNIQUE INDEX Z_Trip_UNIQUE_identifier ON ZTRIP (ZIDENTIFIER COLLATE BINARY ASC);

-- "25:10:00": the seconds since the service day began; hours have one digit or more, so the text is cut from its end.
INSERT INTO ZSTOPTIME
SELECT source.rowid, 3, 1,
  substr(arrival_time, 1, length(arrival_time) - 6) * 3600 + substr(arrival_time, -5, 2) * 60 + substr(arrival_time, -2),
  substr(departure_time, 1, length(departure_time) - 6) * 3600 + substr(departure_time, -5, 2) * 60
    + substr(departure_time, -2),
  CAST(coalesce(nullif(drop_off_type, ''), 0) AS INTEGER), CAST(coalesce(nullif(pickup_type, ''), 0) AS INTEGER),
  CAST(stop_sequence AS INTEGER), ZSTOP.Z_PK, ZTRIP.Z_PK
FROM staging.stop_times AS source
  LEFT JOIN ZSTOP ON ZSTOP.ZIDENTIFIER = source.stop_id
  LEFT JOIN ZTRIP ON ZTRIP.ZIDENTIFIER = source.trip_id
ORDER BY source.rowid;

CREATE INDEX Z_Stop_byNormalizedName ON ZSTOP (ZNORMALIZEDNAME COLLATE BINARY ASC);
CREATE INDEX ZSTOP_ZPARENT_INDEX ON ZSTOP (ZPARENT);
CREATE INDEX ZTRIP_ZROUTE_INDEX ON ZTRIP (ZROUTE);
CREATE INDEX ZSTOPTIME_ZSTOP_INDEX ON ZSTOPTIME (ZSTOP);
CREATE INDEX ZSTOPTIME_ZTRIP_INDEX ON ZSTOPTIME (ZTRIP);

COMMIT;
DETACH staging;
