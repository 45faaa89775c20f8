"""The world over a WebSocket, for any engine and any client: the contract is docs/bridge.md."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hotlap.bridge.client import BridgeClient
    from hotlap.bridge.server import BridgeServer
    from hotlap.bridge.vec_env import BridgeVecEnv

DEFAULT_PORT = 9876
DEFAULT_URL = f"ws://localhost:{DEFAULT_PORT}"
__all__ = ["BridgeClient", "BridgeServer", "BridgeVecEnv"]

# Loaded on first use: BridgeVecEnv brings SB3 and torch, which neither server nor client needs.
_HOMES = {
    "BridgeClient": "hotlap.bridge.client",
    "BridgeServer": "hotlap.bridge.server",
    "BridgeVecEnv": "hotlap.bridge.vec_env",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
