"""Who may talk to the server: exact hosts and origins, a token beyond loopback, for HTTP and WebSockets alike."""

import hmac
import secrets
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from hotlap.bridge.access import FEWEST_TOKEN_BITS, Access, is_loopback, token_bits
from hotlap.errors import ConfigError
from hotlap.export.world_browser import browser_of, worlds_with_pages

SOURCES = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "connect-src": "'self' data: blob:",
    "font-src": "'self'",
    "media-src": "'self'",
    "worker-src": "'self' blob:",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
SECURITY_HEADERS = {
    "Content-Security-Policy": "; ".join(f"{kind} {sources}" for kind, sources in SOURCES.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
}
OWN_SITES = ("same-origin", "none")
COOKIE_SECONDS = 30 * 24 * 3600
REFUSED_CLOSE = 1008
TOKEN_BYTES = 32


def chosen_token(given: str | None, host: str) -> str | None:
    """The token a server at this host asks for: the given one, a fresh one beyond loopback, none at home."""
    if given is None:
        return None if is_loopback(host) else secrets.token_urlsafe(TOKEN_BYTES)
    if token_bits(given) < FEWEST_TOKEN_BITS:
        raise ConfigError(
            f"the token must have at least {FEWEST_TOKEN_BITS} bits: 32 hexadecimal digits, or 22 letters, digits, "
            "- and _. Leave it out, and a good one is made."
        )
    return given


@dataclass(frozen=True)
class House:
    """Where a server is and what it asks for at the door."""

    host: str
    port: int
    token: str | None = None

    @property
    def cookie(self) -> str:
        """Cookies do not tell ports apart, so each server has its own name for the token."""
        return f"hotlap-{self.port}"

    def link(self, page: str = "") -> str:
        """What to open in a browser for a page, the game's by default; holds the token where there is one."""
        name = "127.0.0.1" if self.host in ("", "0.0.0.0", "::") else self.host  # noqa: S104 - compared, not bound
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{self.port}/{page}" + (f"?token={self.token}" if self.token else "")


class Guard:
    """The outermost layer: refuses strangers before any route is looked up, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        self.app = app
        self.house = house
        self.access = Access(house.host, house.port)
        self.pages = {browser_of(world).page for world in worlds_with_pages()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            await self._websocket(refusal, scope, receive, send)
            return
        answer = refusal or self._sign_in(scope)
        await (answer or self.app)(scope, receive, with_headers(send))

    async def _websocket(self, refusal: Response | None, scope: Scope, receive: Receive, send: Send) -> None:
        if refusal is None:
            await self.app(scope, receive, send)
            return
        socket = WebSocket(scope, receive, send)
        if "websocket.http.response" in scope.get("extensions", {}):
            await socket.send_denial_response(refusal)
        else:
            await socket.close(REFUSED_CLOSE)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why this request is not wanted, or None."""
        stranger = self.access.refusal(AllValues(headers))
        if stranger is not None:
            return _error(stranger.status, stranger.reason)
        if _comes_from_elsewhere(headers):
            return _error(403, "pages of other sites may not use this server")
        if self.house.token and not self._knows_token(headers) and self._sign_in(scope) is None:
            return _error(401, "open the link that hotlap play printed")
        return None

    def _sign_in(self, scope: Scope) -> Response | None:
        """The page opened with the right token in its link: trade it for a cookie and take it out of the address."""
        page = scope["path"].removeprefix("/")
        if not self.house.token or scope["type"] != "http" or page not in self.pages or scope["method"] != "GET":
            return None
        shown = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if len(shown) != 1 or not self._is_token(shown[0]):
            return None
        answer = RedirectResponse(f"./{page}", status_code=303, headers={"Cache-Control": "no-store"})
        answer.set_cookie(
            self.house.cookie, self.house.token, max_age=COOKIE_SECONDS, path="/", httponly=True, samesite="strict"
        )
        return answer

    def _knows_token(self, headers: Headers) -> bool:
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        shown = [bearer, *(_cookie(line, self.house.cookie) for line in headers.getlist("cookie"))]
        return any([self._is_token(each) for each in shown])  # noqa: C419 - all are compared, whichever is right

    def _is_token(self, shown: str) -> bool:
        """Compared in constant time."""
        return hmac.compare_digest(shown.encode("utf-8", "replace"), (self.house.token or "").encode())


@dataclass(frozen=True)
class AllValues:
    """The headers of a request as `Access` reads them."""

    headers: Headers

    def get_all(self, key: str) -> list[str]:
        """Every value of a header."""
        return self.headers.getlist(key)


def _comes_from_elsewhere(headers: Headers) -> bool:
    """Whether a browser says that a page of another site asks; opening a link from there is fine."""
    site = headers.get("sec-fetch-site", "none")
    return site not in OWN_SITES and headers.get("sec-fetch-mode") != "navigate"


def _cookie(line: str, name: str) -> str:
    try:
        morsel = SimpleCookie(line).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def _error(status: int, reason: str) -> Response:
    return JSONResponse({"error": reason}, status_code=status)


def with_headers(send: Send) -> Send:
    """Put the security headers on an answer."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers[name] = value
        await send(message)

    return send_with_headers
