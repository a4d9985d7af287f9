"""Fits and predicts with scikit-learn on one core. Prints the best seconds of several rounds of each, as JSON."""

import json
import sys
import time

import numpy
from sklearn.ensemble import HistGradientBoostingRegressor

file, trees, leaves, leaf_rows, rounds = sys.argv[1], *map(int, sys.argv[2:])


def code(text):
    return float(text.split()[1]) if text else numpy.nan


def number(text):
    return float(text) if text else numpy.nan


converters = {column: number if column < 7 else code for column in range(10)}
table = numpy.loadtxt(file, delimiter=",", skiprows=1, converters=converters, encoding="utf-8")
rows, target = table[:, :10], table[:, 10]


def best(work):
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


model = HistGradientBoostingRegressor(
    max_iter=trees,
    max_leaf_nodes=leaves,
    min_samples_leaf=leaf_rows,
    learning_rate=0.1,
    early_stopping=False,
    categorical_features=[7, 8, 9],
)
fit = best(lambda: model.fit(rows, target))
predict = best(lambda: model.predict(rows))
print(json.dumps({"fit": fit, "predict": predict}))
