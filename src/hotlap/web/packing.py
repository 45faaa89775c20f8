"""Files packed with gzip for browsers that take it: packed when first asked for, then kept."""

import gzip
from dataclasses import dataclass

from starlette.requests import Request

from hotlap.export.content import Content

LEVEL = 6
VARY = {"Vary": "Accept-Encoding"}


@dataclass(frozen=True)
class Packed:
    """The bytes to send, and the headers that say how they are packed."""

    body: bytes
    headers: dict[str, str]


class Packer:
    """Packs each file once; one that changed since, by its tag, once more."""

    def __init__(self) -> None:
        self._kept: dict[str, Packed] = {}

    def packed(self, url: str, tag: str, content: Content) -> Packed:
        """A file, packed, with a tag of its own: caches must not take one form for the other."""
        tag = f'{tag[:-1]}-gzip"'
        kept = self._kept.get(url)
        if kept is None or kept.headers["ETag"] != tag:
            kept = self._kept[url] = pack(content.read(), tag)
        return kept


def pack(body: bytes, tag: str) -> Packed:
    """Bytes under gzip; how many they are when unpacked is said too, for pages that show how far they are."""
    headers = {"ETag": tag, "Content-Encoding": "gzip", "X-Decoded-Length": str(len(body)), **VARY}
    return Packed(gzip.compress(body, LEVEL, mtime=0), headers)


def takes_gzip(request: Request) -> bool:
    """Whether the browser unpacks gzip and asks for the whole file."""
    offers = request.headers.get("accept-encoding", "").replace(" ", "").lower().split(",")
    return "range" not in request.headers and bool({"gzip", "gzip;q=1.0", "gzip;q=1"} & set(offers))
