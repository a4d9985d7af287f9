"""Tests against the service at ROSTER_URL, whose chat server says "It costs 2,500." to every question.

Asked "How slowly?", it says the second half only after GO_ON_URL was read.
"""

from __future__ import annotations

import math
import os
import unittest
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, Dict, List
from urllib.request import urlopen

import pandas
from roster import Problem, Roster, TrainingFailed, api

try:
    import polars
except ImportError:
    polars = None

try:
    import pyarrow
except ImportError:
    pyarrow = None

URL = os.environ["ROSTER_URL"]


def some_rows(count: int) -> List[Dict[str, Any]]:
    """Prices that follow from size, kind and a postal code whose leading zero counts."""
    return [
        {
            "size": 20 + (index * 37) % 100 + 0.1,
            "kind": ("flat", "house")[index % 2],
            "code": ("05914", "5914")[index % 3 == 0],
            "price": 1000 + 30 * ((index * 37) % 100) + 500 * (index % 2) + 90 * (index % 3 == 0),
        }
        for index in range(count)
    ]


class ModelTest(unittest.TestCase):
    roster: Roster
    rows: List[Dict[str, Any]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.roster = Roster(URL)
        cls.rows = some_rows(600)
        steps: List[float] = []
        model = cls.roster.model("prices").train(cls.rows, target="price", as_category=["code"])
        ready = model.wait(progress=steps.append)
        assert ready.status == api.ModelStatus.READY and steps[-1] == 1, steps

    @classmethod
    def tearDownClass(cls) -> None:
        cls.roster.close()

    def predicted(self) -> List[Dict[str, Any]]:
        return self.roster.model("prices").predict(self.rows, confidence=0.9)

    def test_intervals_hold_what_they_say(self) -> None:
        answers = self.predicted()
        kept = sum(a["price_min"] <= row["price"] <= a["price_max"] for a, row in zip(answers, self.rows))
        self.assertGreaterEqual(kept / len(answers), 0.9)

    def test_a_frame_of_pandas_is_answered_with_one_that_has_its_index(self) -> None:
        frame = pandas.DataFrame(self.rows, index=[f"row {index}" for index in range(600)])
        answers = self.roster.model("prices").predict(frame, confidence=0.9)
        self.assertEqual(list(answers.index), list(frame.index))
        self.assertEqual(list(answers["price_min"]), [row["price_min"] for row in self.predicted()])
        self.assertEqual(list(answers["code"])[:3], ["5914", "05914", "05914"])

    def test_a_missing_value_of_pandas_is_missing(self) -> None:
        frame = pandas.DataFrame({"size": [math.nan, 50.0], "kind": ["flat", None]})
        rows: List[Dict[str, Any]] = [{"kind": "flat"}, {"size": 50.0}]
        expected = self.roster.model("prices").predict(rows)
        answers = self.roster.model("prices").predict(frame)
        self.assertEqual(list(answers["price"]), [row["price"] for row in expected])

    def test_moments_of_pandas_are_dates(self) -> None:
        days = pandas.date_range("2026-01-01", periods=400, freq="D")
        frame = pandas.DataFrame({"day": days, "value": [float(day.month * 10) for day in days]})
        model = self.roster.model("days")
        model.train(frame, target="value").wait()
        answers = model.predict(frame.head(40))
        self.assertLess(abs(answers["value"].iloc[35] - 20), 3)

    @unittest.skipIf(polars is None, "polars is not installed")
    def test_a_frame_of_polars_is_answered_with_one(self) -> None:
        answers = self.roster.model("prices").predict(polars.DataFrame(self.rows), confidence=0.9)
        self.assertEqual(answers["price_min"].to_list(), [row["price_min"] for row in self.predicted()])

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_a_table_of_pyarrow_is_answered_with_one(self) -> None:
        answers = self.roster.model("prices").predict(pyarrow.Table.from_pylist(self.rows), confidence=0.9)
        self.assertEqual(answers["price_min"].to_pylist(), [row["price_min"] for row in self.predicted()])

    def test_truths_meet_the_promises_of_their_own_ids(self) -> None:
        model = self.roster.model("prices")
        rows = [{**row, "order_no": f"0{index}"} for index, row in enumerate(self.rows[:50])]
        model.predict(pandas.DataFrame(rows), confidence=0.9, remember=True, id="order_no")
        truths = [{"order_no": row["order_no"], "price": row["price"]} for row in rows]
        added = model.actuals(pandas.DataFrame([*truths, {"order_no": "nobody", "price": 1}]), id="order_no")
        self.assertEqual((added.matched, added.unmatched), (50, 1))
        self.assertEqual(added.unmatched_rows[0].row, 51)

    def test_many_rows_are_sent_in_parts_and_answered_in_order(self) -> None:
        rows = self.rows * 40
        answers = self.roster.model("prices").predict(rows, confidence=0.9)
        self.assertEqual([a["size"] for a in answers], [row["size"] for row in rows])
        self.assertEqual(answers[-600:], self.predicted())

    def test_no_rows_have_no_answers_but_the_columns_of_some(self) -> None:
        model = self.roster.model("prices")
        self.assertEqual(model.predict([]), [])
        frame = pandas.DataFrame(self.rows[:2])
        expected = list(model.predict(frame, confidence=0.9, warnings=True))
        for none in (frame.head(0), pandas.DataFrame({"size": []}), pandas.DataFrame()):
            answers = model.predict(none, confidence=0.9, warnings=True)
            self.assertEqual((len(answers), list(answers)), (0, expected))

    def test_contributions_add_up_to_the_prediction(self) -> None:
        model = self.roster.model("prices")
        for row in model.contributions(self.rows[:5]):
            parts = [value for name, value in row.items() if name.startswith("price_contribution_")]
            self.assertEqual(len(parts), 3)
            self.assertAlmostEqual(row["price_base"] + sum(parts), row["price"], delta=1)
        explained = model.contributions(pandas.DataFrame(self.rows[:5]), confidence=0.9)
        self.assertIn("price_contribution_kind", explained)

    def test_findings_name_what_looks_odd(self) -> None:
        table = [{**row, "shop": "Oslo"} for row in self.rows[:200]]
        model = self.roster.model("found")
        model.train(table, target="price").wait()
        self.assertIn("shop", [finding.column for finding in model.findings()])

    def test_errors_have_the_rows_that_are_missed_most(self) -> None:
        errors = self.roster.model("prices").errors(version=1)
        self.assertEqual((errors.model, errors.version), ("prices", 1))
        missed = [row.error for row in errors.rows]
        self.assertEqual(missed, sorted(missed, reverse=True))
        with self.assertRaises(Problem) as caught:
            self.roster.model("prices").errors(version=700)
        self.assertEqual(caught.exception.status, 404)

    def test_onnx_is_a_file(self) -> None:
        self.assertIn(b"roster", self.roster.model("prices").onnx()[:100])

    def test_the_record_counts_the_promises_that_truths_met(self) -> None:
        model = self.roster.model("recorded")
        model.train(self.rows, target="price").wait()
        remembered = model.remember(pandas.DataFrame(self.rows[:40]), confidence=0.9)
        model.actuals(remembered[["__service_row_id"]].head(30).assign(price=[row["price"] for row in self.rows[:30]]))
        record = model.record(by="day", drift=False)
        self.assertEqual((record.promises, record.truths, record.missing), (40, 30, 10))
        self.assertEqual(sum(group.truths for group in record.groups or []), 30)
        with self.assertRaises(ValueError):
            model.record(by="month")

    def test_a_forecast_has_the_steps_that_are_asked_for(self) -> None:
        table = [
            {"day": day, "shop": shop, "sold": 10 * (day % 7) + level}
            for shop, level in (("a", 5), ("b", 50))
            for day in range(120)
        ]
        model = self.roster.model("sales")
        model.train(table, target="sold", order_by="day", group_by=["shop"], horizon=7).wait()
        self.assertEqual([row["day"] for row in model.forecast([{"shop": "b"}], steps=3)], [120, 121, 122])
        self.assertEqual(len(model.forecast(steps=2)), 4)
        frame: Any = model.forecast(pandas.DataFrame({"shop": ["a"]}), steps=2)
        self.assertEqual(list(frame["shop"]), ["a", "a"])

    def test_what_is_refused_is_a_problem_with_its_places(self) -> None:
        with self.assertRaises(Problem) as caught:
            self.roster.model("prices").predict(self.rows[:1], confidence=2)
        self.assertEqual(caught.exception.status, 400)
        self.assertEqual(caught.exception.errors[0]["pointer"], "/query/confidence")
        self.assertIn("/query/confidence: must be at most 0.99", str(caught.exception))
        self.assertIsNotNone(caught.exception.request_id)

    def test_a_problem_of_the_contracts_half_is_the_same_exception(self) -> None:
        with self.assertRaises(Problem) as caught:
            self.roster.model("missing").get()
        self.assertEqual(caught.exception.status, 404)

    def test_a_training_that_cannot_succeed_says_why(self) -> None:
        with self.assertRaises(Problem) as caught:
            self.roster.model("none").train([{"size": 1}], target="price")
        self.assertIn('\n  There is no column "price"', str(caught.exception))

    def test_a_table_of_another_kind_is_named(self) -> None:
        with self.assertRaisesRegex(TypeError, "not str"):
            self.roster.model("prices").predict("size,kind")

    def test_an_infinite_number_is_refused_with_its_column_and_row(self) -> None:
        rows = [{"kind": "flat", "size": value} for value in (20.0, None, -math.inf, math.inf)]
        tables: List[Any] = [rows, pandas.DataFrame(rows)]
        if polars is not None:
            tables.append(polars.DataFrame(rows))
        if pyarrow is not None:
            tables.append(pyarrow.Table.from_pylist(rows))
        model = self.roster.model("prices")
        for table in tables:
            with self.assertRaisesRegex(ValueError, 'column "size", row 3 is -inf; send a finite number'):
                model.predict(table)
            with self.assertRaisesRegex(ValueError, 'column "size", row 3'):
                model.train(table, target="size")
        with self.assertRaisesRegex(ValueError, 'column "size", row 10002 is nan'):
            model.predict([*[{"size": 1.0}] * 10_001, {"size": math.nan}])

    def test_a_training_that_is_cancelled_raises_its_failure(self) -> None:
        training = self.roster.model("cancelled").train(some_rows(100_000), target="price")
        self.roster.api.cancel_training("default", "cancelled", str(training.version))
        with self.assertRaisesRegex(TrainingFailed, "cancelled"):
            training.wait()


class RefusalTest(unittest.TestCase):
    """Against a service that refuses everything for now."""

    def test_what_is_refused_to_the_last_attempt_is_a_problem_in_both_halves(self) -> None:
        class Busy(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(503)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Busy) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            with Roster(f"http://127.0.0.1:{server.server_port}", retries=0) as roster:
                with self.assertRaises(Problem) as read:
                    roster.model("prices").get()
                with self.assertRaises(Problem) as predicted:
                    roster.model("prices").predict(some_rows(1))
                self.assertEqual([read.exception.status, predicted.exception.status], [503, 503])
            server.shutdown()


class AgentTest(unittest.TestCase):
    def setUp(self) -> None:
        self.roster = Roster(URL)
        self.addCleanup(self.roster.close)
        self.name = f"helper_{uuid.uuid4().hex[:8]}"
        body = api.CreateAgentBody(agent=api.CreateAgentBodyAgent(name=self.name))
        self.roster.api.create_agent("default", body)

    def test_an_answer_has_text_and_usage(self) -> None:
        answer = self.roster.agent(self.name).ask("How much?")
        self.assertEqual(str(answer), "It costs 2,500.")
        self.assertEqual(list(answer.steps), [])

    def test_a_stream_has_the_text_of_the_plain_answer(self) -> None:
        history = [{"question": "Hello", "answer": "Hello."}]
        stream = self.roster.agent(self.name).stream("How slowly?", history=history)
        pieces = [next(stream)]
        urlopen(os.environ["GO_ON_URL"]).close()
        self.assertEqual([*pieces, *stream], ["It costs ", "2,500."])

    def test_a_stream_may_be_left(self) -> None:
        self.assertEqual(next(self.roster.agent(self.name).stream("How slowly?")), "It costs ")
        self.assertEqual(self.roster.agent(self.name).ask("How much?").text, "It costs 2,500.")

    def test_an_agent_that_is_not_there_is_a_problem(self) -> None:
        nobody = self.roster.agent("nobody")
        with self.assertRaises(Problem) as asked:
            nobody.ask("How much?")
        with self.assertRaises(Problem) as streamed:
            list(nobody.stream("How much?"))
        self.assertEqual([asked.exception.status, streamed.exception.status], [404, 404])


if __name__ == "__main__":
    unittest.main()
