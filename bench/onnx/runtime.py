"""Predicts chunks of rows with a model as ONNX. Prints the rows a second, on one thread, as JSON.

usage: runtime.py FOLDER: it has `model.onnx`, and for each chunk a description `N.json` and numbers `N.bin`. The outputs
are written to `N.out` as float64: value by value, each for all rows; a class is its index.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import onnxruntime

folder = Path(sys.argv[1])
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
classes = json.loads(session.get_modelmeta().custom_metadata_map.get("classes", "[]"))
index = {name: float(at) for at, name in enumerate(classes)}
rows, seconds = 0, 0.0
for file in folder.glob("*.json"):
    chunk = json.loads(file.read_text())
    numbers = numpy.fromfile(file.with_suffix(".bin"), numpy.float64).reshape(-1, chunk["rows"])
    feeds = dict(zip(chunk["numbers"], numbers))
    feeds.update({name: numpy.array(texts, object) for name, texts in chunk["texts"].items()})
    feeds["confidence"] = numpy.array([chunk["confidence"] or numpy.nan], numpy.float64)
    begun = time.perf_counter()
    outputs = session.run(None, feeds)
    seconds += time.perf_counter() - begun
    rows += chunk["rows"]
    flat = [
        numpy.array([index[text] for text in output]) if output.dtype == object else output
        for output in outputs
    ]
    numpy.concatenate([output.astype(numpy.float64).T.ravel() for output in flat]).tofile(
        file.with_suffix(".out")
    )
print(json.dumps(rows / seconds))
