"""Fits and predicts with a library on one core. Prints the best seconds of several rounds of each, as JSON."""

import json
import sys
import time

import numpy

library, file, trees, leaves, leaf_rows, rounds = *sys.argv[1:3], *map(int, sys.argv[3:])


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


def of_scikit_learn():
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        max_iter=trees,
        max_leaf_nodes=leaves,
        min_samples_leaf=leaf_rows,
        learning_rate=0.1,
        early_stopping=False,
        categorical_features=[7, 8, 9],
    )
    return lambda: model.fit(rows, target), lambda: model.predict(rows)


def of_xgboost():
    """Categories are numbers: XGBoost predicts from these faster than from its own categories."""
    import xgboost

    settings = {
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": leaves,
        "max_depth": 0,
        "min_child_weight": leaf_rows,
        "eta": 0.1,
        "nthread": 1,
    }
    fitted = []

    def fit():
        fitted[:] = [xgboost.train(settings, xgboost.DMatrix(rows, target, nthread=1), trees)]

    return fit, lambda: fitted[0].inplace_predict(rows)


fit, predict = {"scikit-learn": of_scikit_learn, "xgboost": of_xgboost}[library]()
print(json.dumps({"fit": best(fit), "predict": best(predict)}))
