"""Agents: asked in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Dict, Iterator, List, Mapping, Optional, Sequence, cast
from urllib.parse import quote

from roster import _api
from roster._errors import BrokenAnswer

if TYPE_CHECKING:
    from roster._client import Roster

History = Sequence[Mapping[str, str]]
"""What was asked and answered before: each a ``question`` and an ``answer``."""


@dataclass(frozen=True)
class Answer:
    """The answer of an agent."""

    text: str
    steps: Sequence[_api.Step]
    """The tools that the agent used, with what went in and came out."""
    usage: _api.Usage
    """The tokens that the language model read and wrote."""

    def __str__(self) -> str:
        return self.text


class Agent:
    """An agent of a project."""

    def __init__(self, roster: Roster, name: str) -> None:
        self._roster = roster
        self.name = name

    def ask(self, question: str, *, history: Optional[History] = None) -> Answer:
        """Asks the agent, and returns its whole answer.

        :raises Problem: if the service refuses the question, or the language model fails
        """
        body = _api.CompletionBody(messages=[_api.QuestionMessage(**message) for message in _messages(question, history)])
        completion = self._roster.api.complete_agent(self._roster.project, self.name, body)
        return Answer(completion.message.content, completion.steps, completion.usage)

    def stream(self, question: str, *, history: Optional[History] = None) -> Iterator[str]:
        """Asks the agent, and yields the text of its answer as it is written.

        Leaving the loop ends the answer.

        :raises Problem: if the service refuses the question
        :raises BrokenAnswer: if the answer fails, or breaks off
        """
        for event in self.events(question, history=history):
            if isinstance(event, _api.DeltaEvent):
                yield event.content
            elif isinstance(event, _api.ErrorEvent):
                raise BrokenAnswer(event.content)

    def events(self, question: str, *, history: Optional[History] = None) -> Iterator[_api.AgentEvent]:
        """Asks the agent, and yields all that happens: tools, passages, pieces of text, failures, the end.

        :raises Problem: if the service refuses the question
        :raises BrokenAnswer: if the connection ends before the answer does
        """
        path = f"/agents/{quote(self.name, safe='')}/completions/stream"
        for data in self._roster.events(path, {"messages": _messages(question, history)}):
            event = cast(_api.AgentEvent, _api.decode(_api.AgentEvent, json.loads(data)))
            yield event
            if isinstance(event, _api.EndEvent):
                return
        raise BrokenAnswer("The answer broke off before its last event")


def _messages(question: str, history: Optional[History]) -> List[Dict[str, str]]:
    return [*(dict(message) for message in history or []), {"question": question}]
