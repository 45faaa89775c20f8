"""The options of `hotlap bridge` and `hotlap benchmark bridge`."""

import os
from dataclasses import dataclass
from pathlib import Path

from hotlap.benchmark.options import BridgeMeasurement


@dataclass(frozen=True)
class ServeBridge:
    """Serve the racing world over a WebSocket, for any engine and any client, until Ctrl-C."""

    host: str = "127.0.0.1"
    """Address to listen on; any but loopback needs a token."""
    port: int | None = None
    """Port to listen on, 1 to 65535, or 0 for a free one; by default the environment's BRIDGE_PORT, else 9876."""
    token_file: Path | None = None
    """File with the token that clients must show, at least 128 bits; else the environment's BRIDGE_TOKEN."""
    policy: tuple[str, ...] = ()
    """NAME=FILE: a policy.onnx that clients may ask for by that name; several may be given."""
    idle_timeout: float = 900.0
    """Seconds without a message until a client is sent away; 0 means never."""

    def run(self) -> int:
        """Serve."""
        from hotlap.bridge.drivers import load_drivers
        from hotlap.bridge.messages import Limits
        from hotlap.bridge.server import ServerConfig
        from hotlap.bridge.serving import chosen_port, chosen_token, serve

        config = ServerConfig(
            host=self.host,
            port=chosen_port(self.port, os.environ),
            token=chosen_token(self.token_file, os.environ),
            drivers=load_drivers(self.policy),
            limits=Limits(idle_s=self.idle_timeout),
        )
        return serve(config)


@dataclass(frozen=True)
class BridgeBenchmark(BridgeMeasurement):
    """Measure a bridge server: steps per second of one car, of a bare echo of the same size, and of a batch."""

    def run(self) -> int:
        """Measure and print."""
        from hotlap.benchmark.bridge import run_bridge_benchmark

        return run_bridge_benchmark(self)
