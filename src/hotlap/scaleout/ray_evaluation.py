"""Evaluations spread over a cluster: each driver at each track or density a task, put together as if driven here."""

from collections.abc import Sequence

from hotlap.evaluation.measures import Evaluation
from hotlap.evaluation.places import drive_place, travelling
from hotlap.evaluation.world_evaluation import Request, Say, checked, evaluation_of
from hotlap.scaleout.cluster import joined


def evaluate_on_ray(requests: Sequence[Request], say: Say, *, address: str) -> list[Evaluation]:
    """What `evaluate_here` gives, driven wherever the cluster has room: nothing depends on where."""
    places = [evaluation_of(source.world).split(checked(config, source), source) for source, config in requests]
    with joined(address) as ray:
        count, names = sum(map(len, places)), ", ".join(source.name for source, _ in requests)
        say(f"driving {names} in {count} places on {len(ray.nodes())} machines")
        drive = ray.remote(num_cpus=1, max_retries=3)(drive_place)
        # Every driver's places are under way before anything is waited for.
        driven = [
            [drive.remote(*travelling(source), place) for place in of_one]
            for (source, _), of_one in zip(requests, places, strict=True)
        ]
        results = [ray.get(of_one) for of_one in driven]
    return [
        evaluation_of(source.world).joined(of_one, config)
        for (source, config), of_one in zip(requests, results, strict=True)
    ]
