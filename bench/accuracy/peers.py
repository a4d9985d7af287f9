"""Trains the peers of `bench:accuracy` on one thread, and answers the rows that measure them.

Each line of the standard input is a job as JSON; each line of the output is its answer. A job has the path of a CSV
in which empty cells and NA are missing, the name and the task of its target, columns to leave out, the indexes of the rows that
train and that measure, and the name of a peer. An answer has the predictions (numbers, or the probabilities of the
classes that it names), the seconds of processor time of the training, the rows answered a second, and the name and
version of the library.
"""

import functools
import json
import os
import sys
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy
import pandas
import sklearn
import xgboost
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import KFold, StratifiedKFold

MOST_ONE_HOT = 50
"""Columns of more values are categories to XGBoost itself, and numbers by frequency to the others."""
FOLDS = 5
PATIENCE = 50
MOST_ROUNDS = 3000
FOREST_TREES = 500

XGBOOST = {
    "tree_method": "hist",
    "subsample": 0.8,
    "colsample_bynode": 0.8,
    "eta": 0.05,
    "max_depth": 6,
    "min_child_weight": 5,
    "nthread": 1,
    "seed": 1,
}


@functools.lru_cache(maxsize=1)
def read(file):
    return pandas.read_csv(file, dtype=str, keep_default_na=False, na_values=["", "NA"])


def one_hot(values, levels):
    return {f"={level}": numpy.where(values.isna(), numpy.nan, (values == level).astype(float)) for level in levels}


def encode(table, job):
    """Returns the inputs of all rows as columns. Values are counted in the rows that train."""
    columns = {}
    for name in table.columns:
        if name == job["target"] or name in job["omitted"]:
            continue
        values = table[name]
        numbers = pandas.to_numeric(values, errors="coerce")
        if numbers.notna().sum() == values.notna().sum():
            columns[name] = numbers.astype(float)
            continue
        levels = values.iloc[job["training"]].value_counts()
        if len(levels) <= MOST_ONE_HOT:
            columns.update({name + suffix: column for suffix, column in one_hot(values, levels.index).items()})
        elif job["peer"] == "xgboost":
            columns[name] = pandas.Categorical(values, categories=list(levels.index))
        else:
            columns[name] = values.map(levels).astype(float)
    frame = pandas.DataFrame(columns)
    frame.columns = [f"f{index}" for index in range(frame.shape[1])]  # XGBoost refuses some characters.
    return frame


def fit_xgboost(inputs, targets, classes):
    counts = len(classes)
    settings = dict(XGBOOST, objective="reg:squarederror")
    if counts == 2:
        settings.update(objective="binary:logistic", eval_metric="logloss")
    elif counts > 2:
        settings.update(objective="multi:softprob", eval_metric="mlogloss", num_class=counts)

    def matrix(rows):
        return xgboost.DMatrix(inputs.iloc[rows], targets[rows], enable_categorical=True, nthread=1)

    if counts:
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=1)
    else:
        folds = KFold(FOLDS, shuffle=True, random_state=1)
    rounds = []
    for fold, held_out in folds.split(inputs, targets):
        booster = xgboost.train(
            settings,
            matrix(fold),
            MOST_ROUNDS,
            evals=[(matrix(held_out), "heldout")],
            early_stopping_rounds=PATIENCE,
            verbose_eval=False,
        )
        rounds.append(booster.best_iteration + 1)
    booster = xgboost.train(settings, matrix(numpy.arange(len(targets))), round(numpy.mean(rounds)))

    def predict(asked):
        said = booster.predict(xgboost.DMatrix(asked, enable_categorical=True, nthread=1))
        return numpy.column_stack([1 - said, said]) if counts == 2 else said

    return predict


def fit_hgb(inputs, targets, classes):
    kind = HistGradientBoostingClassifier if len(classes) else HistGradientBoostingRegressor
    model = kind(early_stopping=True, max_iter=1000, random_state=1).fit(inputs, targets)
    return model.predict_proba if len(classes) else model.predict


def fit_forest(inputs, targets, classes):
    middles = inputs.median()

    def filled(rows):
        return rows.fillna(middles).fillna(0)

    if not len(classes):
        model = RandomForestRegressor(FOREST_TREES, min_samples_leaf=2, max_features=0.5, random_state=1)
        model.fit(filled(inputs), targets)
        return lambda rows: model.predict(filled(rows))
    model = RandomForestClassifier(FOREST_TREES, random_state=1).fit(filled(inputs), targets)
    shares = numpy.bincount(targets) / len(targets)
    # As if one more tree answered with the shares of the classes, so that no probability is 0.
    return lambda rows: (FOREST_TREES * model.predict_proba(filled(rows)) + shares) / (FOREST_TREES + 1)


PEERS = {
    "xgboost": (fit_xgboost, f"XGBoost {xgboost.__version__}"),
    "hgb": (fit_hgb, f"scikit-learn {sklearn.__version__}"),
    "forest": (fit_forest, f"scikit-learn {sklearn.__version__}"),
}


def answer(job):
    table = read(job["file"])
    inputs = encode(table, job)
    target = table[job["target"]]
    training, test = numpy.array(job["training"]), numpy.array(job["test"])
    if job["task"] == "classification":
        labels, classes = pandas.factorize(target.iloc[training], sort=True)
        targets = labels
    else:
        targets, classes = pandas.to_numeric(target.iloc[training]).to_numpy(), []
    rows = inputs.iloc[training].reset_index(drop=True)
    fit, library = PEERS[job["peer"]]
    begun = time.process_time()
    predict = fit(rows, targets, classes)
    seconds = time.process_time() - begun
    asked = inputs.iloc[test]
    begun = time.perf_counter()
    predictions = predict(asked)
    rate = len(test) / (time.perf_counter() - begun)
    return {
        "predictions": numpy.asarray(predictions, dtype=float).round(9).tolist(),
        "classes": list(classes),
        "training": seconds,
        "rowsPerSecond": rate,
        "library": library,
    }


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
