"""What `hotlap evaluate` and `hotlap compare` do: results to stdout, progress to stderr."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hotlap.errors import ConfigError, ReportError
from hotlap.evaluation.compare import compare_document, print_comparison, regressions, suspicions
from hotlap.evaluation.measures import Evaluation, changes, shortfalls
from hotlap.evaluation.minari_data import check_data_set, write_data_set
from hotlap.evaluation.places import evaluate_here
from hotlap.evaluation.regression import find_base, history, is_of_history, keep
from hotlap.evaluation.request import EvaluationConfig, Outputs, combined
from hotlap.evaluation.sources import DriverSource, find_driver
from hotlap.evaluation.table import console_for_results, empty_table, print_table
from hotlap.evaluation.world_evaluation import Evaluate, Request, evaluate_driver, evaluation_of
from hotlap.exit_codes import BELOW_WHAT_WAS_ASKED, DONE, NOTHING_TO_COMPARE
from hotlap.progress import say
from hotlap.whole_files import refuse_to_overwrite, write_whole_file


def run_evaluations(
    asked: Sequence[EvaluationConfig], file: Path | None, outputs: Outputs, evaluate: Evaluate = evaluate_here
) -> int:
    """Evaluate drivers and print the results; 1 when one falls short of what was required or of what was before."""
    for path in (outputs.report, outputs.episodes_file):
        _refuse_taken(path, force=outputs.force)
    if outputs.traces is not None:
        check_data_set(outputs.traces, force=outputs.force)
    requests = [_request(given, file, outputs) for given in asked]
    if len(requests) > 1:
        _refuse_for_several(requests, outputs)
    documents, statuses = [], []
    for (source, config), result in zip(requests, evaluate(requests, say), strict=True):
        if outputs.json:
            documents.append(result.plain())
        else:
            evaluation_of(source.world).show(result)
        statuses.append(_status(result, source, config, outputs))
    if outputs.json:
        print(json.dumps(documents if len(documents) > 1 else documents[0], indent=2))
    return BELOW_WHAT_WAS_ASKED if BELOW_WHAT_WAS_ASKED in statuses else max(statuses)


def _request(given: EvaluationConfig, file: Path | None, outputs: Outputs) -> Request:
    """A driver and how it is to be evaluated."""
    config = combined(given, file)
    if config.policy is None:
        raise ConfigError("no driver to evaluate. Name a run, a policy.onnx or a scripted driver such as expert.")
    source = find_driver(config.policy, outputs.root)
    evaluation_of(source.world).check_outputs(outputs)
    if outputs.traces is not None:
        evaluation_of(source.world).record(source, config)  # refused now rather than after the drive
    return source, config


def _status(result: Evaluation, source: DriverSource, config: EvaluationConfig, outputs: Outputs) -> int:
    """Write what was asked for and remember the evaluation; the exit code says whether it is what was asked."""
    _write_files(result, source, outputs)
    if outputs.traces is not None:
        recording = evaluation_of(source.world).record(source, config)
        say(write_data_set(outputs.traces, recording, force=outputs.force))
    found, worse = _shortfalls(result, config, outputs), _regressions(result, config, outputs.root)
    for each in (*found, *(worse or ())):
        say(each)
    _remember(result, config, outputs.root, passed=not found and not worse)
    if found or worse:
        return BELOW_WHAT_WAS_ASKED
    return NOTHING_TO_COMPARE if worse is None else DONE


def run_comparison(names: tuple[str, str], config: EvaluationConfig, root: Path, *, as_json: bool) -> int:
    """Evaluate two drivers in the same way and print what differs."""
    first, second = (find_driver(name, root) for name in names)
    if first.world != second.world:
        raise ConfigError(
            f"{first.name} drives in the {first.world}, {second.name} in the {second.world}. Compare like with like."
        )
    common = tuple(track for track in first.tracks if track in second.tracks)
    config = replace(config, track=config.track or common or first.tracks)
    a, b = (evaluate_driver(source, config, say, with_others=False) for source in (first, second))
    if as_json:
        print(json.dumps(compare_document(a, b), indent=2))
    else:
        print_comparison(a, b)
    return DONE


def show_history(root: Path, limit: int, *, as_json: bool) -> int:
    """Print the evaluations made last."""
    if not root.is_dir():
        raise ConfigError(f"{root}: no such folder, so there is no history. Evaluate something first.")
    with history(root) as kept:
        entries = kept.newest(limit)
    if as_json:
        print(json.dumps([{**vars(entry), "setup": json.loads(entry.setup)} for entry in entries], indent=2))
        return DONE
    table = empty_table("Evaluations, newest first", ("made at", "world", "driver", ""))
    for entry in entries:
        table.add_row(str(entry.id), entry.made_at, entry.world, entry.driver, "" if entry.passed else "failed")
    print_table(console_for_results(), table)
    return DONE


def _write_files(result: Evaluation, source: DriverSource, outputs: Outputs) -> None:
    if outputs.report is not None:
        page = evaluation_of(source.world).draw(result, source.run)
        write_whole_file(outputs.report, page.encode(), force=True, error=ReportError)
        say(f"report written to {outputs.report}")
    if outputs.episodes_file is not None:
        say(evaluation_of(source.world).write_episodes(result, outputs.episodes_file))


def _shortfalls(result: Evaluation, config: EvaluationConfig, outputs: Outputs) -> list[str]:
    found = shortfalls(result.measures(), config.thresholds)
    found += evaluation_of(result.world).shortfalls(result, outputs)
    return [f"below what was asked: {each}" for each in found]


def _regressions(result: Evaluation, config: EvaluationConfig, root: Path) -> list[str] | None:
    """What got worse than the base; None where there is nothing to compare with."""
    if config.against is None:
        return []
    base = find_base(config.against, result, root, lambda name: _like(result, name, config, root))
    if base is None:
        say(f"nothing to set {result.driver} against yet; the next evaluation has this one")
        return None
    found, doubtful = (select(changes(base.measures, result.measures())) for select in (regressions, suspicions))
    for each in doubtful:
        say(f"may be chance, among so many figures: {each}")
    if not found:
        say(f"no figure is worse than those of {base.name}{', beyond chance' if doubtful else ''}")
    return [f"worse than {base.name}: {each}" for each in found]


def _like(result: Evaluation, name: str, config: EvaluationConfig, root: Path) -> Evaluation:
    """Another driver, evaluated as this one was."""
    source = find_driver(name, root)
    if source.world != result.world:
        raise ConfigError(f"{name} drives in the {source.world}, {result.driver} in the {result.world}.")
    config = replace(config, track=config.track or tuple(result.setup().get("tracks", ())))
    other: Evaluation = evaluate_driver(source, config, say, with_others=False)
    return other


def _remember(result: Evaluation, config: EvaluationConfig, root: Path, *, passed: bool) -> None:
    """Keep the evaluation in the history of the runs' folder, if there is one or the history was asked for."""
    if root.is_dir() or is_of_history(config.against):
        keep(result, root, passed=passed)


def _refuse_for_several(requests: Sequence[Request], outputs: Outputs) -> None:
    """What is about one driver."""
    one = {"--report": outputs.report is not None, "--episodes-file": outputs.episodes_file is not None}
    one["--traces"] = outputs.traces is not None
    one["--against last"] = any(is_of_history(config.against) for _, config in requests)
    for option, given in one.items():
        if given:
            raise ConfigError(f"{option} is about one driver. Evaluate each of them by itself for it.")


def _refuse_taken(path: Path | None, *, force: bool) -> None:
    """Refuse before any driving is done."""
    if path is not None:
        refuse_to_overwrite(path, force=force, error=ReportError)
