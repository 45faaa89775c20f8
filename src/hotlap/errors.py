"""Every exception of the house, one small tree; each message says what was wrong, what would be right, what to do."""

import difflib
from collections.abc import Iterable


class HotlapError(Exception):
    """Anything Hotlap refuses to do; the command line prints its message and exits with 2."""


class TrackError(HotlapError, ValueError):
    """A track that cannot be driven: the message names the file, the line and the remedy."""


class UnknownTrackError(TrackError):
    """A track name that nothing answers to."""


class CarError(HotlapError, ValueError):
    """A car that is not there or cannot be driven: the message names the file, the key and what would be right."""


class ConfigError(HotlapError, ValueError):
    """A configuration value or key that is not allowed, named."""


class ActionError(HotlapError, ValueError):
    """An action of the wrong shape, type or value; nothing was advanced."""


class EnvironmentStateError(HotlapError, RuntimeError):
    """A call at the wrong moment: a step before reset, or anything after close."""


class StateError(HotlapError, ValueError):
    """The state of a world that cannot be."""


class CheckpointError(HotlapError, ValueError):
    """A checkpoint or document of a run that is not intact, or that cannot be one."""


class CheckpointWriteError(CheckpointError):
    """The disk would not take it: full, read-only or forbidden; what was saved before is untouched."""


class RunFolderError(HotlapError, ValueError):
    """A run folder that exists already, has a name it may not have, or cannot be written."""


class RunLockedError(HotlapError, RuntimeError):
    """A run that another process is training; its pid is named."""


class BridgeError(HotlapError, RuntimeError):
    """What a bridge server refused, in its own words; the connection stays open."""


class BridgeConnectionError(HotlapError, ConnectionError):
    """A bridge server that cannot be reached, refuses the connection or has gone away; the connection is closed."""


class BridgeTimeoutError(BridgeConnectionError, TimeoutError):
    """A bridge server that did not answer in time; the connection is closed, since a late answer would be mistaken."""


class TrainingError(HotlapError, RuntimeError):
    """A training that cannot go on; the last good checkpoint is kept."""


class PolicyError(HotlapError, ValueError):
    """A driver that is not there, is not one, or was made for another world, layout or physics."""


class ExportError(HotlapError, ValueError):
    """Something exported, or about to be, that is not what it should be."""


class ReportError(HotlapError, ValueError):
    """A report, or a file of episodes, that cannot be written where it was asked for."""


class GpuError(HotlapError, RuntimeError):
    """There is no GPU here, or it cannot do what it was asked to."""


class MissionError(HotlapError, ValueError):
    """A mission or a situation on the road that cannot be: a lane that does not exist, a speed or gap out of range."""


class LapError(HotlapError, ValueError):
    """A drive that is not one, or a lap that is not real, not clean, or not the one it claims to be."""


class StoreError(HotlapError, RuntimeError):
    """A database that cannot be opened or is not one of ours."""


class WebError(HotlapError, RuntimeError):
    """A page server that cannot start: its port is taken, or the page is not built."""


class SweepError(HotlapError, RuntimeError):
    """A sweep that cannot begin or go on: another is in its folder, or what it left there is not whole."""


class ClusterError(HotlapError, RuntimeError):
    """A cluster that cannot be reached or used: Ray is missing, refuses, or has gone away."""


class JobError(HotlapError, RuntimeError):
    """A remote job that cannot be sent, found or fetched whole."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The half sentence ` Did you mean "x"?`, or nothing when no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f' Did you mean "{near[0]}"?' if near else ""
