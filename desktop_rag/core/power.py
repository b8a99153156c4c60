"""Whether this computer runs on its battery, and what a person wants to be left undone then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import psutil


def on_battery() -> bool:
    """Return whether the computer runs on its battery; one without a battery never does."""
    look = getattr(psutil, "sensors_battery", None)
    battery = look() if look is not None else None
    return battery is not None and battery.power_plugged is False


@dataclass(frozen=True, slots=True)
class PowerMode:
    """What waits for mains power: nothing ("same"), the slow stages ("less"), or all reading ("pause")."""

    choice: str = "less"
    is_on_battery: Callable[[], bool] = on_battery

    @property
    def holds_slow(self) -> bool:
        """Whether slow stages wait now."""
        return self.choice != "same" and self.is_on_battery()

    @property
    def holds_all(self) -> bool:
        """Whether everything but looking at the folders waits now."""
        return self.choice == "pause" and self.is_on_battery()
