"""Errors with a status code, on the service's side and on the client's."""

from jax._src.base import errors

# Longer texts would not fit into the trailers of an answer.
MAX_TEXT = 6000


class Refused(Exception):
    """The service refuses a request: the code and the text that the caller gets."""

    def __init__(self, code: str, text: str):
        super().__init__(code, text)
        self.code = code
        self.text = clipped(text)


def clipped(text: str, size: int = MAX_TEXT) -> str:
    """The text, or its beginning and a note that it went on."""
    return text if len(text) <= size else f"{text[:size]} … ({len(text)} characters)"


def runtime_error(code: str, text: str) -> errors.JaxRuntimeError:
    """The error that callers of the client see: its text starts with the code."""
    return errors.JaxRuntimeError(f"{code}: {text}")
