"""Who may connect: exact hosts and origins, and a token wherever the server can be reached from other machines."""

import hmac
import ipaddress
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NamedTuple, Protocol

from hotlap.errors import ConfigError

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
FEWEST_TOKEN_BITS = 128
HOW_TO_MAKE_ONE = 'python -c "import secrets; print(secrets.token_urlsafe(32))"'

# Without handlers and never at debug level, where websockets writes down every header: tokens stay out of all logs.
SILENT_LOG = logging.Logger("hotlap.bridge.wire", logging.CRITICAL)  # noqa: LOG001 - no settings of others reach it


class Headers(Protocol):
    """The headers of a request; a name may come more than once."""

    def get_all(self, key: str) -> list[str]:
        """Every value of a header, in any spelling of its name."""


class Refusal(NamedTuple):
    """The HTTP answer to a handshake that is not wanted."""

    status: HTTPStatus
    reason: str


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach a server bound there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Whether a server bound there answers to every address of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return host == ""


def token_bits(token: str) -> int:
    """The most a token of this length and alphabet can hold; 0 for one that does not fit into a header."""
    if re.fullmatch(r"[0-9a-fA-F]+", token):
        return 4 * len(token)
    return 6 * len(token) if re.fullmatch(r"[A-Za-z0-9._~+/=-]+", token) else 0


def check_token(token: str | None, host: str) -> str | None:
    """The token a server at this host asks for; refused when it is weak, or missing where it is needed."""
    if token is None and is_loopback(host):
        return None
    if token is None:
        raise ConfigError(
            f"--host {host} can be reached from other machines and needs a token. Make one with: {HOW_TO_MAKE_ONE} "
            "and give it as BRIDGE_TOKEN or --token-file, to the server and to its clients."
        )
    if token_bits(token) < FEWEST_TOKEN_BITS:
        raise ConfigError(
            f"the bridge token must have at least {FEWEST_TOKEN_BITS} bits (32 hexadecimal digits, or 22 letters, "
            f"digits, - and _). Make one with: {HOW_TO_MAKE_ONE}"
        )
    return token


@dataclass(frozen=True)
class Access:
    """The rules of one server."""

    host: str
    """Where it is bound."""
    port: int
    token: str | None = field(default=None, repr=False)
    """What clients must show as `Authorization: Bearer …`; None on loopback means nothing."""

    def refusal(self, headers: Headers) -> Refusal | None:
        """Why a handshake is not wanted, or None. Says nothing about what the right token would be."""
        hosts = headers.get_all("Host")
        if len(hosts) != 1 or not self._knows_host(hosts[0]):
            return Refusal(HTTPStatus.FORBIDDEN, f"this server answers to {' or '.join(self.own_hosts())} only")
        origins = headers.get_all("Origin")
        if origins and not self._is_own_origin(origins, hosts[0]):
            return Refusal(HTTPStatus.FORBIDDEN, "pages of other origins may not connect")
        if self.token is not None and not self._shows_token(headers.get_all("Authorization")):
            return Refusal(HTTPStatus.UNAUTHORIZED, "send the server's token: Authorization: Bearer …")
        return None

    def own_hosts(self) -> list[str]:
        """What a client may call this server in its Host header."""
        names = list(LOOPBACK_NAMES)
        if not is_loopback(self.host):
            names.append(f"[{self.host}]" if ":" in self.host else self.host.lower())
        return [*(f"{name}:{self.port}" for name in names), *(names if self.port == 80 else ())]

    def _knows_host(self, host: str) -> bool:
        # Bound to every address, a server cannot list its names; there the token keeps strangers out.
        return is_wildcard(self.host) or host.lower() in self.own_hosts()

    def _is_own_origin(self, origins: Sequence[str], host: str) -> bool:
        """Exactly this server's: a browser writes origins in lower case and without a path."""
        own = [f"http://{name}" for name in ([host] if is_wildcard(self.host) else self.own_hosts())]
        return len(origins) == 1 and origins[0] in own

    def _shows_token(self, shown: Sequence[str]) -> bool:
        expected = f"Bearer {self.token}".encode()
        return len(shown) == 1 and hmac.compare_digest(shown[0].encode("utf-8", "replace"), expected)
