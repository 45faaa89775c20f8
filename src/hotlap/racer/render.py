"""What a spectator sees: a camera that flies with one car, a map of the track, speed and lap; no display needed."""

from functools import cached_property

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from hotlap.racer.physics import TICKS_PER_SECOND
from hotlap.racer.tracks import Track
from hotlap.racer.tracks.picture import NIGHT, draw_track
from hotlap.racer.world import RacerWorld

Picture = NDArray[np.uint8]
Shape = list[tuple[float, float]]

WIDTH_PX, HEIGHT_PX = 800, 500
VIEW_PX_PER_U = 4.0
LOOK_AHEAD_S = 0.3
"""The camera aims at where the car will be so much later."""
LARGEST_GROUND_PX = 6000
MAP_PX = 180
GLASS = (13, 17, 23, 190)

# The car in its own frame, x ahead and y to the left, in game units.
BODY: Shape = [
    (2.0, 0.25),
    (2.0, -0.25),
    (0.9, -0.45),
    (0.3, -0.75),
    (-1.6, -0.75),
    (-1.6, 0.75),
    (0.3, 0.75),
    (0.9, 0.45),
]
WINGS: list[Shape] = [
    [(2.05, 0.95), (2.05, -0.95), (1.7, -0.95), (1.7, 0.95)],
    [(-1.6, 0.9), (-1.6, -0.9), (-2.0, -0.9), (-2.0, 0.9)],
]
COCKPIT: Shape = [(0.45, 0.3), (0.45, -0.3), (-0.55, -0.3), (-0.55, 0.3)]
FRONT_WHEELS = [(1.2, 0.85), (1.2, -0.85)]
REAR_WHEELS = [(-1.2, 0.88), (-1.2, -0.88)]
WHEEL: Shape = [(0.38, 0.2), (0.38, -0.2), (-0.38, -0.2), (-0.38, 0.2)]
BRAKE_LIGHT: Shape = [(-1.75, 0.5), (-1.75, -0.5), (-2.0, -0.5), (-2.0, 0.5)]
CAR_SCALE = 2.0
"""The car is drawn twice its size, or it would be lost on the wide road."""
SMOOTHING = 4
"""And so many times larger before it is shrunk again, for clean edges."""


class Ground:
    """A track drawn once, from above, to be looked at in parts."""

    def __init__(self, track: Track) -> None:
        figure = Figure(facecolor=NIGHT, dpi=100)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        draw_track(track, axes)
        (self.left_u, right_u), (bottom_u, self.top_u) = axes.get_xlim(), axes.get_ylim()
        extent_u = np.array([right_u - self.left_u, self.top_u - bottom_u])
        self.px_per_u = min(VIEW_PX_PER_U, LARGEST_GROUND_PX / float(extent_u.max()))
        figure.set_size_inches(*(extent_u * self.px_per_u / figure.dpi))
        canvas.draw()  # type: ignore[no-untyped-call]
        pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
        self.image = Image.fromarray(pixels[:, :, :3])

    def view(self, x_u: float, y_u: float) -> Image.Image:
        """The surroundings of a point, at the camera's scale; beyond the picture is night."""
        width, height = (round(size / VIEW_PX_PER_U * self.px_per_u) for size in (WIDTH_PX, HEIGHT_PX))
        column, row = self.place(x_u, y_u)
        part = Image.new("RGB", (width, height), NIGHT)
        # Whole pixels of the ground, so that it does not shimmer as the car moves.
        part.paste(self.image, (-round(column - width / 2.0), -round(row - height / 2.0)))
        same_scale = part.size == (WIDTH_PX, HEIGHT_PX)
        return part if same_scale else part.resize((WIDTH_PX, HEIGHT_PX), Image.Resampling.BILINEAR)

    def place(self, x_u: float, y_u: float) -> tuple[float, float]:
        """Column and row of a point of the world in the ground's picture."""
        return (x_u - self.left_u) * self.px_per_u, (self.top_u - y_u) * self.px_per_u

    @cached_property
    def small(self) -> Image.Image:
        """The whole track, to be put into a corner."""
        factor = MAP_PX / max(self.image.size)
        size = (max(1, round(self.image.width * factor)), max(1, round(self.image.height * factor)))
        return self.image.resize(size, Image.Resampling.LANCZOS)


class Renderer:
    """Draws the cars of a world, each seen by its own camera."""

    def __init__(self, world: RacerWorld) -> None:
        self._world = world
        self._grounds: dict[int, Ground] = {}
        self._font = ImageFont.load_default(size=18)

    def draw(self, car: int) -> Picture:
        """A new picture (height, width, 3) of one car on its track."""
        fleet = self._world.fleet
        ground = self._ground(int(fleet.track[car]))
        aim_x = float(fleet.x_u[car] + LOOK_AHEAD_S * fleet.vx_ups[car])
        aim_y = float(fleet.y_u[car] + LOOK_AHEAD_S * fleet.vy_ups[car])
        picture = ground.view(aim_x, aim_y)
        self._paste_car(picture, car, aim_x, aim_y)
        self._paste_map(picture, car, ground)
        self._write_facts(picture, car)
        return np.array(picture)

    def _ground(self, track: int) -> Ground:
        if track not in self._grounds:
            self._grounds[track] = Ground(self._world.tracks[track])
        return self._grounds[track]

    def _paste_car(self, picture: Image.Image, car: int, aim_x: float, aim_y: float) -> None:
        """The car's own little picture, put where the camera sees it."""
        fleet = self._world.fleet
        column = WIDTH_PX / 2.0 + (float(fleet.x_u[car]) - aim_x) * VIEW_PX_PER_U
        row = HEIGHT_PX / 2.0 - (float(fleet.y_u[car]) - aim_y) * VIEW_PX_PER_U
        heading, front = float(fleet.heading_rad[car]), float(fleet.front_angle_rad[car])
        stamp = car_stamp(heading, front, bool(fleet.brake[car] > 0.1))
        picture.paste(stamp, (round(column) - stamp.width // 2, round(row) - stamp.height // 2), stamp)

    def _paste_map(self, picture: Image.Image, car: int, ground: Ground) -> None:
        """The whole track in the corner, with a dot for the car."""
        fleet, small = self._world.fleet, ground.small
        left, top = WIDTH_PX - small.width - 10, 10
        picture.paste(small, (left, top))
        column, row = ground.place(float(fleet.x_u[car]), float(fleet.y_u[car]))
        column, row = left + column * small.width / ground.image.width, top + row * small.height / ground.image.height
        pen = ImageDraw.Draw(picture)
        pen.rectangle((left - 1, top - 1, left + small.width, top + small.height), outline="#30363d")
        pen.ellipse((column - 4, row - 4, column + 4, row + 4), fill="#ff3b30", outline="#ffffff")

    def _write_facts(self, picture: Image.Image, car: int) -> None:
        """Speed, lap and the lap's time so far, on a strip of dark glass."""
        fleet = self._world.fleet
        seconds = int(fleet.lap_ticks[car]) / TICKS_PER_SECOND
        text = f"{float(fleet.speed_ups[car]):5.0f} u/s     lap {int(fleet.lap[car])}     {seconds:6.2f} s"
        pen = ImageDraw.Draw(picture, "RGBA")
        pen.rounded_rectangle((10, HEIGHT_PX - 42, 270, HEIGHT_PX - 10), 8, fill=GLASS)
        pen.text((22, HEIGHT_PX - 26), text, fill="#f0f6fc", font=self._font, anchor="lm")


def car_stamp(heading_rad: float, front_rad: float, braking: bool) -> Image.Image:
    """A small transparent picture of the car from above, turned to its heading, front wheels turned to theirs."""
    side_px = round(6.0 * VIEW_PX_PER_U * CAR_SCALE)
    image = Image.new("RGBA", (side_px * SMOOTHING, side_px * SMOOTHING), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    scale, middle = VIEW_PX_PER_U * CAR_SCALE * SMOOTHING, side_px * SMOOTHING / 2.0

    def fill(shape: Shape, colour: str) -> None:
        turned = turn(shape, heading_rad)
        pen.polygon([(middle + x * scale, middle - y * scale) for x, y in turned], fill=colour)

    for wheels, angle in ((FRONT_WHEELS, front_rad), (REAR_WHEELS, 0.0)):
        for x, y in wheels:
            fill([(x + dx, y + dy) for dx, dy in turn(WHEEL, angle)], "#0a0c10")
    for wing in WINGS:
        fill(wing, "#f0f6fc")
    fill(BODY, "#e5322d")
    fill(COCKPIT, "#10141a")
    if braking:
        fill(BRAKE_LIGHT, "#ff9f0a")
    return image.resize((side_px, side_px), Image.Resampling.LANCZOS)


def turn(shape: Shape, angle_rad: float) -> Shape:
    """A shape turned counter-clockwise about its origin."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return [(float(x * cos - y * sin), float(x * sin + y * cos)) for x, y in shape]
