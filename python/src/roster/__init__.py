"""The Python client of Roster.

>>> from roster import Roster
>>> prices = Roster("http://127.0.0.1:4000").model("prices")
>>> prices.train(table, target="price").wait()
>>> prices.predict(rows, confidence=0.9)

``Roster.api`` has every operation of the contract, typed; this half takes and gives data frames, waits for
trainings, and reads the answers of agents as they are written.
"""

from roster import _api as api
from roster._agent import Agent, Answer
from roster._client import Roster
from roster._errors import BrokenAnswer, Problem, TrainingFailed
from roster._model import Model, Training

__all__ = ["Agent", "Answer", "BrokenAnswer", "Model", "Problem", "Roster", "Training", "TrainingFailed", "api"]
