"""The `hotlap` command: a table of verbs, each loaded only when it is asked for."""

import importlib
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from hotlap import __version__
from hotlap.errors import HotlapError, did_you_mean
from hotlap.exit_codes import BROKEN_PIPE, DONE, INTERRUPTED, USER_MISTAKE
from hotlap.progress import Verbosity, say_more, telling

EXTRA_WITH = {
    **dict.fromkeys(("stable_baselines3", "tensorboard", "torch"), "train"),
    **dict.fromkeys(("onnx", "onnxruntime"), "policies"),
    **dict.fromkeys(("starlette", "uvicorn", "websockets"), "web"),
    "huggingface_hub": "hub",
    "trackio": "trackio",
    "wandb": "wandb",
    **dict.fromkeys(("h5py", "minari"), "minari"),
    "matplotlib": "pictures",
    "pettingzoo": "pettingzoo",
}
"""The extra that brings a package which the core does without."""
VERBOSITY = {
    **dict.fromkeys(("-q", "--quiet"), Verbosity.QUIET),
    **dict.fromkeys(("-v", "--verbose"), Verbosity.VERBOSE),
}
"""What every verb takes, wherever it stands."""


@dataclass(frozen=True)
class Command:
    """Something to run: a dataclass of options whose `run` does it and may return an exit code."""

    summary: str
    """One line for the overview."""
    target: str
    """Where it is, as `module:name`; imported only to run it or to show its own help."""


@dataclass(frozen=True)
class Group:
    """A verb with verbs of its own."""

    summary: str
    """One line for the overview."""
    verbs: Mapping[str, "Command | Group"]
    """What it offers, by name, in the order of the overview."""


HOTLAP = Group(
    "Teach a car to drive in a minute. Then try to beat it in your browser.",
    {
        "train": Command("Train a driver from a preset.", "hotlap.commands.training:Train"),
        "resume": Command("Resume a run where it stopped.", "hotlap.commands.training:Resume"),
        "import": Command("Make a run of a model of plain SB3.", "hotlap.commands.training:ImportModel"),
        "runs": Command("Every run, with its best figures.", "hotlap.commands.runs:Runs"),
        "sweep": Command("Many trainings from one file, and the best of them.", "hotlap.commands.scaleout:Sweep"),
        "evaluate": Command("Evaluate a driver: laps, or missions.", "hotlap.commands.evaluation:Evaluate"),
        "compare": Command("Two drivers side by side.", "hotlap.commands.evaluation:Compare"),
        "trends": Command("Evaluations and missions over time.", "hotlap.commands.evaluation:Trends"),
        "league": Command("Race drivers against each other, and rate them.", "hotlap.commands.league:League"),
        "drive": Command("Order a car about on the highway, in plain English.", "hotlap.commands.drive:DriveOrders"),
        "missions": Command("Missions that were driven, failures first.", "hotlap.commands.drive:Missions"),
        "play": Command("Race against it in your browser.", "hotlap.commands.web:Play"),
        "export": Group(
            "Take a driver elsewhere.",
            {
                "policy": Command("A run's policy as ONNX, or for plain SB3.", "hotlap.commands.training:ExportPolicy"),
                "zoo": Command("A preset as hyper-parameters for rl_zoo3.", "hotlap.commands.training:ExportZoo"),
                "wasm": Command("The physics as WebAssembly, with the tracks.", "hotlap.commands.web:ExportWasm"),
                "laps": Command("Laps of people as a Minari data set.", "hotlap.commands.web:ExportLaps"),
                "site": Command("The game as static files for any web host.", "hotlap.commands.web:ExportSite"),
            },
        ),
        "push": Command("A driver as a model repository, with its card.", "hotlap.commands.hub:Push"),
        "pull": Command("A driver out of a model repository.", "hotlap.commands.hub:Pull"),
        "tracks": Group(
            "List, draw, import and generate tracks.",
            {
                "list": Command("Every track at hand.", "hotlap.commands.tracks:ListTracks"),
                "show": Command("Facts and a picture of one track.", "hotlap.commands.tracks:ShowTrack"),
                "import": Command("Turn a CSV of a real circuit into a track.", "hotlap.commands.tracks:ImportTrack"),
                "generate": Command("Make a new circuit from a seed.", "hotlap.commands.tracks:GenerateTrack"),
            },
        ),
        "cars": Group(
            "List, show and check cars with grip.",
            {
                "list": Command("Every car at hand.", "hotlap.commands.cars:ListCars"),
                "show": Command("The numbers of a car and what they mean.", "hotlap.commands.cars:ShowCar"),
                "check": Command("Whether a car file can be driven.", "hotlap.commands.cars:CheckCar"),
            },
        ),
        "bridge": Command("Serve the world over a WebSocket.", "hotlap.commands.bridge:ServeBridge"),
        "submit": Command("Send a job to a cluster.", "hotlap.commands.scaleout:Submit"),
        "jobs": Group(
            "Look after jobs on a cluster.",
            {
                "list": Command("Every job of a cluster.", "hotlap.commands.scaleout:ListJobs"),
                "status": Command("How a job is doing.", "hotlap.commands.scaleout:JobStatus"),
                "logs": Command("What a job says.", "hotlap.commands.scaleout:JobLogs"),
                "stop": Command("Ask a job to stop.", "hotlap.commands.scaleout:StopJob"),
                "fetch": Command("What a job kept, every byte checked.", "hotlap.commands.scaleout:FetchJob"),
            },
        ),
        "benchmark": Group(
            "Measure how fast things run on this machine.",
            {
                "env": Command(
                    "Ticks per second of the worlds, alone and in batches.", "hotlap.commands.benchmark:EnvBenchmark"
                ),
                "train": Command("How fast a preset learns, and how well.", "hotlap.commands.benchmark:TrainBenchmark"),
                "highway": Command(
                    "Decisions per second of the highway world.", "hotlap.commands.benchmark:HighwayBenchmark"
                ),
                "race": Command(
                    "Ticks per second of cars that race each other.", "hotlap.commands.benchmark:RaceBenchmark"
                ),
                "gpu": Command(
                    "The same kernels on an NVIDIA GPU: speed and agreement.", "hotlap.commands.benchmark:GpuBenchmark"
                ),
                "highway-safety": Command(
                    "Hostile drivers, guarded: kilometres and collisions.", "hotlap.commands.benchmark:HighwaySafety"
                ),
                "bridge": Command(
                    "Round trips per second of a bridge server.", "hotlap.commands.bridge:BridgeBenchmark"
                ),
            },
        ),
        "suite": Command("Compare learning algorithms on a fixed set of tasks.", "hotlap.commands.benchmark:RunSuite"),
        "completion": Command("Teach your shell the verbs and options.", "hotlap.completion:Completion"),
    },
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; 0 done, 1 the result is below what was asked, 2 the user's mistake."""
    words = list(sys.argv[1:] if argv is None else argv)
    with telling(verbosity_of(words)):
        return answer([word for word in words if word not in VERBOSITY])


def answer(words: list[str]) -> int:
    """Run the command these words name; what goes wrong is told in a line."""
    try:
        status = run(HOTLAP, "hotlap", words)
        sys.stdout.flush()  # a reader that left shows itself here rather than when the interpreter ends
    except HotlapError as error:
        print(f"hotlap: {error}", file=sys.stderr)
        say_more("".join(traceback.format_exception(error)))
        return USER_MISTAKE
    except ModuleNotFoundError as missing:
        extra = EXTRA_WITH.get((missing.name or "").split(".")[0])
        if extra is None:
            raise
        print(f'hotlap: {missing.name} is not installed. Run: pip install "hotlap[{extra}]"', file=sys.stderr)
        return USER_MISTAKE
    except KeyboardInterrupt:
        print("hotlap: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing left to complain about at exit
        return BROKEN_PIPE
    return status


def verbosity_of(words: Sequence[str]) -> Verbosity:
    """How much the words ask to be told; the last that says so counts."""
    return next((VERBOSITY[word] for word in reversed(words) if word in VERBOSITY), Verbosity.USUAL)


def run(command: Command | Group, path: str, words: list[str]) -> int:
    """Follow the words down the table of verbs to a command, and run it."""
    if isinstance(command, Command):
        return run_command(command, path, words)
    if not words or words[0] in ("-h", "--help"):
        print(overview(command, path))
        return DONE
    verb, *rest = words
    if command is HOTLAP and verb == "--version":
        print(f"hotlap {__version__}")
        return DONE
    if verb not in command.verbs:
        refuse(command, path, verb)
    return run(command.verbs[verb], f"{path} {verb}", rest)


def run_command(command: Command, path: str, words: list[str]) -> int:
    """Do what the words ask for; what the command returns is the exit code."""
    result = parsed(command, path, words).run()
    return DONE if result is None else int(result)


def parsed(command: Command, path: str, words: list[str]) -> Any:
    """The dataclass of a command with its options, parsed by tyro."""
    if os.environ.get("NO_COLOR"):
        os.environ["PYTHON_TYRO_ANSI_CODES"] = "False"  # tyro listens to this one only
    import tyro  # noqa: PLC0415 - the overview needs no parser

    target = load(command.target)
    refuse_foreign_options(target, path, words)
    positional, one_way = tyro.conf.PositionalRequiredArgs, tyro.conf.FlagCreatePairsOff
    if hasattr(target, "default_for"):
        # Options that start from what another one names, as those of `train` do from the preset: a switch may be on.
        return tyro.cli(target, prog=path, args=words, config=(positional,), default=target.default_for(words))
    return tyro.cli(target, prog=path, args=words, config=(positional, one_way))


def refuse_foreign_options(target: type[Any], path: str, words: list[str]) -> None:
    """Name our option where somebody types that of the stack they come from."""
    for word in words:
        typed = word.split("=")[0].replace("_", "-")
        if ours := getattr(target, "foreign_options", {}).get(typed):
            raise HotlapError(f'"{path}" has no option "{typed}": here it is "{ours}". Run "{path} --help".')


def load(target: str) -> type[Any]:
    """The dataclass behind `module:name`."""
    module, name = target.split(":")
    found: type[Any] = getattr(importlib.import_module(module), name)
    return found


def overview(group: Group, path: str) -> str:
    """What a group of verbs offers, one line each."""
    width = max(map(len, group.verbs))
    lines = [f"  {name:<{width}}  {verb.summary}" for name, verb in group.verbs.items()]
    usage = [f"usage: {path} <command> …", "", group.summary, "", *lines, ""]
    more = [f"{path} <command> --help says more about one of them.", "-q tells only results and errors, -v tells more."]
    version = ["hotlap --version prints the version."] if group is HOTLAP else []
    return "\n".join([*usage, *more, *version])


def refuse(group: Group, path: str, verb: str) -> NoReturn:
    """Say which verb is not there, which one is near, and where all of them are listed."""
    kind = "option" if verb.startswith("-") else "command"
    raise HotlapError(f'"{path}" has no {kind} "{verb}".{did_you_mean(verb, group.verbs)} Run "{path} --help".')


if __name__ == "__main__":
    sys.exit(main())
