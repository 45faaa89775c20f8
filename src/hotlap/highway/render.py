"""What a spectator sees: the road around one ego from above, its traffic, and a line about its mission; no display."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from hotlap.highway.missions import MODE_NAMES
from hotlap.highway.physics import LANE_WIDTH_M, MPH
from hotlap.highway.road import heading_rad, lane_position, pace_of_change_per_s
from hotlap.highway.world import HighwayWorld

Picture = NDArray[np.uint8]
WIDTH_PX, HEIGHT_PX = 960, 240
PX_PER_M = 6.0
ROAD_TOP_PX = 50
EGO_COLUMN_PX = 360
DASH_M = 12.0
ROAD, LINE, TEXT, GRASS = "#30363d", "#8b949e", "#f0f6fc", "#1b2a1f"
EGO, CRASHED = "#2f81f7", "#ff3b30"
COLOURS = ("#d2a8ff", "#e6edf3", "#ffa657", "#7ee787")
"""Of motorcycles, sedans, SUVs and trucks."""


class Renderer:
    """Draws the roads of a world, each around its own ego."""

    def __init__(self, world: HighwayWorld) -> None:
        self._world = world
        self._font = ImageFont.load_default(size=16)

    def draw(self, road: int) -> Picture:
        """A new picture (height, width, 3) of one road."""
        picture = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), GRASS)
        pen = ImageDraw.Draw(picture)
        first = road * self._world.batch.slots
        self._draw_road(pen, float(self._world.vehicles.x_m[first]))
        for slot in range(self._world.batch.slots - 1, -1, -1):
            if self._world.vehicles.lane[first + slot] >= 0:
                self._draw_vehicle(pen, road, slot)
        self._write_facts(pen, road)
        return np.array(picture)

    def _draw_road(self, pen: ImageDraw.ImageDraw, x_m: float) -> None:
        lanes, width_px = self._world.config.road.lanes, LANE_WIDTH_M * PX_PER_M
        pen.rectangle((0, ROAD_TOP_PX, WIDTH_PX, ROAD_TOP_PX + lanes * width_px), fill=ROAD)
        for line in range(lanes + 1):
            row = ROAD_TOP_PX + line * width_px
            if line in (0, lanes):
                pen.line((0, row, WIDTH_PX, row), fill=LINE, width=2)
                continue
            column = -(x_m % DASH_M) * PX_PER_M
            while column < WIDTH_PX:
                pen.line((column, row, column + DASH_M / 3.0 * PX_PER_M, row), fill=LINE)
                column += DASH_M * PX_PER_M

    def _draw_vehicle(self, pen: ImageDraw.ImageDraw, road: int, slot: int) -> None:
        vehicles, roads = self._world.vehicles, self._world.roads
        first = road * self._world.batch.slots
        i = first + slot
        rate = pace_of_change_per_s(vehicles.speed_mps[i], vehicles.length_m[i])
        angle = heading_rad(vehicles, i, float(roads.change_rate_per_s[road]) if slot == 0 else rate)
        middle = np.array(
            [
                EGO_COLUMN_PX + (vehicles.x_m[i] - vehicles.x_m[first]) * PX_PER_M,
                ROAD_TOP_PX + (lane_position(vehicles, i) + 0.5) * LANE_WIDTH_M * PX_PER_M,
            ]
        )
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        half = np.array([vehicles.length_m[i], vehicles.width_m[i]]) * 0.5 * PX_PER_M
        corners = middle + (np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * half) @ turn.T
        colour = COLOURS[vehicles.kind[i]] if slot else CRASHED if roads.crashed[road] else EGO
        pen.polygon([tuple(corner) for corner in corners.tolist()], fill=colour)

    def _write_facts(self, pen: ImageDraw.ImageDraw, road: int) -> None:
        world, roads = self._world, self._world.roads
        speed = float(world.vehicles.speed_mps[road * world.batch.slots]) / MPH
        mission = MODE_NAMES[int(roads.mission_mode[road])].replace("_", " ")
        target = float(roads.mission_speed_mps[road]) / MPH
        text = f"{speed:3.0f} mph     {mission}: {target:.0f} mph, lane {int(roads.mission_lane[road])}"
        pen.text((14, 24), text, fill=TEXT, font=self._font, anchor="lm")
