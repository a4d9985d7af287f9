"""Prepares the public tables of `bench:accuracy` from clones of the repositories that have them.

    python3 bench/accuracy/prepare.py CLONES DATA

`public-tables.json` names the tables. CLONES has the repositories, bare or not, as OWNER+NAME, OWNER+NAME/repo or
OWNER/NAME. DATA gets a CSV each, and `tables.json`. Tables whose file a clone lacks are left out, and named.
"""

import collections
import csv
import io
import json
import pathlib
import re
import subprocess
import sys

MISSING = ("", "NA", "?")
LEAST_ROWS_OF_CLASS = 10


def find_clone(clones, repository):
    owner, name = repository.split("/")
    for place in (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}"):
        if (clones / place).exists():
            return clones / place
    return None


def read_file(clone, path):
    """Returns the text of a file of the newest commit; None if it is absent, or only a pointer to large storage."""
    shown = subprocess.run(["git", "-C", str(clone), "show", f"HEAD:{path}"], capture_output=True)
    if shown.returncode or shown.stdout.startswith(b"version https://git-lfs"):
        return None
    try:
        return shown.stdout.decode("utf-8-sig")
    except UnicodeDecodeError:
        return shown.stdout.decode("latin-1")


def split_line(text, quote):
    return [cell.strip() for cell in next(csv.reader([text], quotechar=quote, skipinitialspace=True))]


def read_arff(text):
    """Returns the names of the attributes, and rows of cells."""
    names, rows, in_data = [], [], False
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            line = line.rstrip(",\t ")
            rows.append(split_line(line, '"' if line.count('"') > 1 else "'"))
        elif line.lower().startswith("@data"):
            in_data = True
        elif line.lower().startswith("@attribute"):
            found = re.match(r"""@attribute\s+('[^']*'|"[^"]*"|[^\s{]+)""", line, re.IGNORECASE)
            names.append(found.group(1).strip("'\""))
    return names, rows


def read_csv(text, has_header):
    rows = [row for row in csv.reader(io.StringIO(text), skipinitialspace=True) if row]
    if has_header:
        return rows[0], rows[1:]
    return [f"x{index}" for index in range(len(rows[0]))], rows


def read_table(texts, entry):
    names, rows = [], []
    for text, path in zip(texts, entry["paths"]):
        if path.endswith(".arff"):
            names, more = read_arff(text)
        else:
            names, more = read_csv(text, entry.get("header", True))
        rows += more
    names = entry.get("names", names)
    kept = [index for index, name in enumerate(names) if name != "rownames"]
    cells = [[("" if row[i].strip() in MISSING else row[i].strip()) for i in kept] for row in rows if len(row) == len(names)]
    return [names[index].strip() for index in kept], cells


def choose_rows(names, rows, entry):
    """Leaves out rows without a target, some values of it, and classes of few rows."""
    target = names.index(entry["target"])
    if entry["task"] == "classification":
        for row in rows:
            row[target] = row[target].rstrip(".")
    rows = [row for row in rows if row[target] not in ("", *entry.get("without", []))]
    if entry["task"] == "regression":
        return rows
    counts = collections.Counter(row[target] for row in rows)
    return [row for row in rows if counts[row[target]] >= LEAST_ROWS_OF_CLASS]


def main(clones, data):
    listed = json.loads(pathlib.Path(__file__).with_name("public-tables.json").read_text())
    data.mkdir(parents=True, exist_ok=True)
    manifest = []
    for entry in listed["tables"]:
        repository = listed["repositories"][entry["repository"]]
        clone = find_clone(clones, repository)
        texts = [clone and read_file(clone, path) for path in entry["paths"]]
        if None in texts:
            print(f"left out: {entry['name']} ({repository} {', '.join(entry['paths'])})")
            continue
        names, rows = read_table(texts, entry)
        rows = choose_rows(names, rows, entry)
        with open(data / f"{entry['name']}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([names, *rows])
        print(f"{entry['name']}: {len(rows)} rows, {len(names)} columns, {entry['target']}")
        described = {key: entry[key] for key in ("name", "target", "task", "set", "license", "omitted") if key in entry}
        manifest.append({**described, "source": f"https://github.com/{repository} {', '.join(entry['paths'])}"})
    (data / "tables.json").write_text(json.dumps({"tables": manifest}, indent=1) + "\n")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
