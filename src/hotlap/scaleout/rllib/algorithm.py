"""A run's settings as RLlib's PPO, on its new API stack."""

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hotlap.errors import ConfigError
from hotlap.scaleout.cluster import load_ray
from hotlap.scaleout.places import Cluster
from hotlap.scaleout.rllib.environment import make_environment
from hotlap.training.algorithms import falling
from hotlap.training.config import TrainConfig, config_document

ENVIRONMENT = "hotlap"
MODULE = "default_policy"
PROBE_S = 0.5
"""How long each iteration waits for a lost env runner to come back before the others drive on."""


def check_fit(config: TrainConfig, cluster: Cluster) -> None:
    """Refuse what RLlib's PPO cannot do as our own does."""
    if config.algorithm != "ppo":
        raise ConfigError(f"--on ray trains with ppo, not {config.algorithm}. Leave --on ray away, or choose ppo.")
    if config.teacher.steps:
        raise ConfigError("--learner rllib knows no teacher. Set teacher.steps to 0, or leave --learner rllib away.")
    if config.cars % cluster.env_runners:
        raise ConfigError(
            f"{config.cars} cars cannot be shared evenly by {cluster.env_runners} env runners. Choose another number."
        )


def make_algorithm(config: TrainConfig, cluster: Cluster, step: int = 0) -> Any:
    """RLlib's PPO for what is left of a run after so many steps, built: its runners are up, and nothing was driven."""
    registry = load_ray("tune", "registry")
    registry._global_registry._prefix = None  # it would file the world under the first training of this process
    registry.register_env(ENVIRONMENT, make_environment)
    ppo: Any = load_ray("rllib", "algorithms", "ppo").PPOConfig()
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # loading it has set a level of its own
    ppo.environment(
        ENVIRONMENT,
        env_config={"config": config_document(config)},
        clip_actions=True,
        normalize_actions=False,  # what the network says is the action, as in our own
        disable_env_checking=True,
    )
    _set_places(ppo, config, cluster)
    _set_learning(ppo, config, max(cluster.learners, 1), step)
    ppo.debugging(seed=config.seed, log_level="ERROR")
    ppo.callbacks(on_env_runners_recreated=_brief_new_runners)
    with _settings_by_value():
        return ppo.build_algo()


def brief_runners(algorithm: Any, briefing: Callable[[Any], None]) -> None:
    """Tell every env runner something, and those that come later in place of lost ones."""
    algorithm.briefing = briefing
    algorithm.env_runner_group.foreach_env_runner(briefing, local_env_runner=False)


def _brief_new_runners(*, algorithm: Any, env_runner_group: Any, env_runner_indices: list[int], **_: Any) -> None:
    env_runner_group.foreach_env_runner(
        algorithm.briefing, local_env_runner=False, remote_worker_ids=env_runner_indices
    )


@contextmanager
def _settings_by_value() -> Iterator[None]:
    """Give each env runner its settings by value: what starts again then depends on no object that might be lost."""
    algorithms = load_ray("rllib", "algorithms", "algorithm")
    original: Any = algorithms.EnvRunnerGroup

    class Runners(original):  # type: ignore[misc]
        """RLlib's env runners, which get their settings as an object of the cluster otherwise."""

        def _make_worker(self, *, config: Any, **others: Any) -> Any:
            return super()._make_worker(config=self._remote_config if others["worker_index"] else config, **others)

    algorithms.EnvRunnerGroup = Runners
    try:
        yield
    finally:
        algorithms.EnvRunnerGroup = original


def _set_places(ppo: Any, config: TrainConfig, cluster: Cluster) -> None:
    """Who drives, who learns, and that whoever is lost is replaced."""
    ppo.env_runners(
        num_env_runners=cluster.env_runners,
        num_envs_per_env_runner=config.cars // cluster.env_runners,
        gym_env_vectorize_mode="vector_entry_point",
        rollout_fragment_length=config.ppo.n_steps,
    )
    ppo.learners(num_learners=cluster.learners, num_gpus_per_learner=cluster.learner_gpus)
    ppo.fault_tolerance(
        restart_failed_env_runners=True,
        max_num_env_runner_restarts=1000,
        env_runner_health_probe_timeout_s=PROBE_S,
    )


def learning_rates(config: TrainConfig, step: int) -> list[list[float]]:
    """What is left of the line of learning rates after so many steps, counted from there: steps and the rate then."""
    first, last = config.ppo.learning_rate, config.ppo.learning_rate_end
    return [[0, falling(first, last)(1.0 - step / config.steps)], [max(config.steps - step, 1), last]]


def _set_learning(ppo: Any, config: TrainConfig, learners: int, step: int) -> None:
    model = load_ray("rllib", "core", "rl_module", "default_model_config").DefaultModelConfig
    settings, batch = config.ppo, config.cars * config.ppo.n_steps // learners
    ppo.training(
        train_batch_size_per_learner=batch,
        minibatch_size=min(settings.batch_size, batch),
        num_epochs=settings.n_epochs,
        lr=learning_rates(config, step),
        gamma=settings.gamma,
        lambda_=settings.gae_lambda,
        clip_param=settings.clip_range,
        entropy_coeff=settings.ent_coef,
        vf_loss_coeff=settings.vf_coef,
        vf_clip_param=math.inf,
        use_kl_loss=False,
        grad_clip=settings.max_grad_norm,
        grad_clip_by="global_norm",
    )
    network = {"fcnet_hiddens": list(config.network.hidden), "fcnet_activation": config.network.activation}
    whole = {"head_fcnet_hiddens": [], "vf_share_layers": False, "free_log_std": True}
    ppo.rl_module(model_config=model(**network, **whole))
