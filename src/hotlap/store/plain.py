"""Words from outside, made fit to be kept and shown."""

import unicodedata


def plain_text(text: str, longest: int) -> str:
    """A text that can be shown anywhere: no control or invisible characters, single spaces, not too long."""
    normal = unicodedata.normalize("NFC", text[: 8 * longest])
    kept = [" " if letter.isspace() else letter for letter in normal]
    visible = "".join(letter for letter in kept if unicodedata.category(letter)[0] != "C")
    return " ".join(visible.split())[:longest].strip()
