"""The highway in a real browser, and drivers for it that need no training."""

from pathlib import Path
from typing import Any

import numpy as np

from browser.game_page import GamePage
from hotlap.checkpoints import new_run_folder, write_document
from hotlap.highway.fingerprint import physics_fingerprint
from hotlap.highway.sensors import FIELDS
from policies.tiny_models import linear_nodes, model_of

SPEED, TARGET_SPEED, LANES_TO_GO = (FIELDS.index(name) for name in ("speed", "target_speed", "target_lane_offset"))
EMPTY_ROAD = (1, 0)
"""A scene that begins in lane 2, without traffic."""
LEFTMOST = (3, 0)


class HighwayPage(GamePage):
    """The highway page, and what was said on its console."""

    def open(self, query: str = "highway.html", scene: tuple[int, int] = EMPTY_ROAD) -> "HighwayPage":
        """Load the page, then begin a certain scene."""
        super().open(query)
        self.page.evaluate("([scene, vehicles]) => window.hotlapScene(scene, vehicles)", list(scene))
        return self

    def order(self, text: str) -> None:
        """Type an order and send it."""
        self.page.get_by_label("Order", exact=True).fill(text)
        self.page.get_by_role("button", name="Send").click()

    def choose_driver(self, label: str) -> None:
        """Put somebody at the wheel by what the list says."""
        options = self.page.get_by_label("Driver").locator("option")
        value = options.filter(has_text=label).first.get_attribute("value")
        self.page.get_by_label("Driver").select_option(value)

    def part(self, name: str) -> Any:
        """A part of the page by its name: log, mission, supervisor, fallback, speed, order-note."""
        return self.page.get_by_test_id(name)


def obedient(step: int) -> bytes:
    """A driver written by hand: throttle towards the mission's speed, and asks for the side of the mission's lane."""
    weights = np.zeros((len(FIELDS), 3))
    weights[TARGET_SPEED, 0], weights[SPEED, 0] = 8.0, -8.0
    weights[TARGET_SPEED, 1], weights[SPEED, 1] = -4.0, 4.0
    weights[LANES_TO_GO, 2] = 10.0
    return _policy(weights, np.zeros(3), step)


def always_left(step: int) -> bytes:
    """A driver that asks for the left, lane or no lane."""
    return _policy(np.zeros((len(FIELDS), 3)), np.array([0.1, 0.0, -1.0]), step)


def _policy(weights: np.ndarray, bias: np.ndarray, step: int) -> bytes:
    metadata = {"world": "highway", "layout": "highway", "physics_fingerprint": physics_fingerprint(), "steps": step}
    nodes, tensors = linear_nodes(weights, bias, low=(0, 0, -1))
    return bytes(model_of(nodes, tensors, metadata, size=len(FIELDS)).SerializeToString())


def highway_run(root: Path, name: str) -> Path:
    """A highway run that has just begun."""
    folder = new_run_folder(root, name)
    config = {"world": "highway", "algorithm": "ppo", "steps": 1000}
    about = {"config": config, "physics_fingerprint": physics_fingerprint(), "hotlap": "0"}
    write_document(folder / "run.json", about)
    return folder


def publish_driver(folder: Path, step: int, policy: bytes) -> None:
    """The best driver so far, as the trainer publishes it."""
    (folder / "policy.onnx").write_bytes(policy)
    write_document(folder / "best.json", {"step": step, "score": [1.0], "tags": {}, "laps": {}, "summary": ""})
