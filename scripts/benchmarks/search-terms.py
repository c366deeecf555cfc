"""Writes the words of the stops' names as search terms: search-terms.py STOPS.csv.gz TERMS.csv"""
import csv
import gzip
import sys
import unicodedata

terms = {}
with gzip.open(sys.argv[1], "rt", newline="") as source:
    for stop in csv.DictReader(source):
        decomposed = unicodedata.normalize("NFD", stop["stop_name"].lower())
        plain = "".join(letter if letter.isalnum() else " " for letter in decomposed if not unicodedata.combining(letter))
        for word in set(plain.split()):
            terms.setdefault(word, []).append(stop["stop_id"])
with open(sys.argv[2], "w", newline="") as target:
    writer = csv.writer(target)
    writer.writerow(["term", "stops"])
    writer.writerows([term, " ".join(stops)] for term, stops in sorted(terms.items()))
