"""Explains rows with XGBoost on one thread. Prints the seconds of processor time of each round, as JSON.

usage: peer.py FOLDER ROWS ROUNDS: the folder has `model.json`, and `bins.bin`, which has the bins of the rows feature by
feature. The contributions are written to `contributions.bin` as float32: row by row those of each column, and the base.
Those of each tree by itself, added up in 64 bits, are written to `by_tree.bin` as float64, without the base.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import xgboost

folder, rows, rounds = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
model = json.loads((folder / "model.json").read_text())
for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
    # XGBoost tells numbers from integers by their text, which JavaScript does not.
    for name in ("base_weights", "loss_changes", "split_conditions", "sum_hessian"):
        tree[name] = [float(number) for number in tree[name]]
(folder / "floats.json").write_text(json.dumps(model))
booster = xgboost.Booster({"nthread": 1}, model_file=str(folder / "floats.json"))
bins = numpy.fromfile(folder / "bins.bin", numpy.uint8).reshape(-1, rows).T.astype(numpy.float32, order="C")
# Contributions are kept with a matrix: each round explains a new one.
seconds = []
for _ in range(rounds):
    matrix = xgboost.DMatrix(bins, nthread=1)
    begun = time.process_time()
    contributions = booster.predict(matrix, pred_contribs=True)
    seconds.append(time.process_time() - begun)
contributions.astype(numpy.float32).tofile(folder / "contributions.bin")
if not (folder / "by_tree.bin").exists():
    by_tree = numpy.zeros((rows, bins.shape[1]))
    for tree in range(booster.num_boosted_rounds()):
        matrix = xgboost.DMatrix(bins, nthread=1)
        of_tree = booster[tree : tree + 1].predict(matrix, pred_contribs=True)
        by_tree += of_tree[:, :-1].astype(numpy.float64)
    by_tree.tofile(folder / "by_tree.bin")
print(json.dumps(seconds))
