"""The examples of the README, run in their order against the service at ROSTER_URL."""

from __future__ import annotations

import contextlib
import io
import os
import re
import unittest
from pathlib import Path
from typing import Any, Dict

import pandas
from roster import Roster, api
from tests.test_roster import some_rows

README = Path(__file__).parent.parent / "README.md"


class ReadmeTest(unittest.TestCase):
    def test_its_examples_run(self) -> None:
        url = os.environ["ROSTER_URL"]
        with Roster(url) as roster:
            body = api.CreateAgentBody(agent=api.CreateAgentBodyAgent(name="jeweller"))
            roster.api.create_agent("default", body)
        months = [
            {"month": f"{2015 + month // 12}-{month % 12 + 1:02}", "store": store, "sold": month % 12 + level}
            for store, level in (("north", 5), ("south", 50))
            for month in range(96)
        ]
        names: Dict[str, Any] = {
            "url": url,
            "key": None,
            "table": pandas.DataFrame(some_rows(300)),
            "rows": pandas.DataFrame(some_rows(20)),
            "months": pandas.DataFrame(months),
            "known_prices": 2500.0,
        }
        blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            for block in blocks:
                exec(compile(block, str(README), "exec"), names)
        names["roster"].close()
        self.assertGreater(len(blocks), 4)
        self.assertEqual(len(names["answers"]), 20)
        self.assertEqual(names["added"].matched, 20)
        self.assertEqual(names["record"].truths, 20)
        self.assertIn("price_base", names["explained"])
        self.assertEqual(len(names["next_months"]), 6)
        self.assertIn("It costs 2,500.", output.getvalue())
        self.assertIn("/query/confidence", output.getvalue())


if __name__ == "__main__":
    unittest.main()
