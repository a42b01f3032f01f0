from typing import Any

from .simulation import Simulation

def widget(simulation: Simulation, height: int, playing: bool) -> Any: ...
