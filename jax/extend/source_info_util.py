"""Source locations in the user's program and named scopes."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.base.source import register_exclusion as register_exclusion
from jax._src.compat.source_info import (
    current as current,
    current_name_stack as current_name_stack,
    extend_name_stack as extend_name_stack,
    new_name_stack as new_name_stack,
    new_source_info as new_source_info,
    reset_name_stack as reset_name_stack,
    set_name_stack as set_name_stack,
    summarize as summarize,
    transform_name_stack as transform_name_stack,
    user_context as user_context,
)
from jax._src.core.jaxpr import NameStack as NameStack, SourceInfo as SourceInfo

_doc_examples.attach(__name__)
