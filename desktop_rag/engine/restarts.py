"""How often, and after what wait, an engine that died is started again."""

from __future__ import annotations

from collections import deque

_DELAYS_S = (0.2, 1.0, 3.0)
"""Waits before the first, second and third restart of a minute."""

_PERIOD_S = 60.0


class RestartPolicy:
    """Allows three restarts a minute: more mean that it will not get better by itself."""

    def __init__(self) -> None:
        self._deaths: deque[float] = deque()

    def delay_after_death(self, now: float) -> float | None:
        """Note a death at ``now`` (seconds of a monotonic clock); return the wait in seconds, None to give up."""
        while self._deaths and now - self._deaths[0] >= _PERIOD_S:
            self._deaths.popleft()
        self._deaths.append(now)
        return _DELAYS_S[len(self._deaths) - 1] if len(self._deaths) <= len(_DELAYS_S) else None

    def forget(self) -> None:
        """Start afresh, because a person asked for it."""
        self._deaths.clear()
