"""Sphinx's settings for the documentation site; `build_site.py` prepares what they read."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = "jax, built anew"
author = "the authors"
project_copyright = "the authors, Apache-2.0"
extensions = ["myst_nb", "mathml", "phases", "sidelinks"]
root_doc = "index"
exclude_patterns = ["site", "proposals/README.md", "README.md"]
default_role = "py:obj"
add_module_names = False
toc_object_entries = False
maximum_signature_line_length = 78
python_display_short_literal_types = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "smartquotes"]
myst_heading_anchors = 4
# Titles of errors' pages are names of classes that other pages have, too.
# A short name in a signature, such as Array, has several homes.
suppress_warnings = ["myst.header", "myst.strikethrough", "ref.python"]
# Messages of errors have lines that the lexer of tracebacks does not know.
suppress_warnings += ["misc.highlighting_failure"]

# Pages with cells are executed once for each state of the code: the cache's folder is named after it.
nb_execution_mode = os.environ.get("SITE_EXECUTE", "cache")
nb_execution_cache_path = os.environ.get("SITE_CACHE", "")
nb_execution_timeout = 240
nb_execution_raise_on_error = True
nb_merge_streams = True
# Messages of errors are sentences and tables: as a traceback, words such as "in" would be coloured, and backticks boxed.
nb_render_error_lexer = "text"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

html_theme = "furo"
html_title = "jax, built anew"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_use_index = True
# Guides come before sources and history among results that have the same words.
html_search_scorer = str(pathlib.Path(__file__).with_name("scorer.js"))
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {
        "color-brand-primary": "#2f5d8a",
        "color-brand-content": "#2f5d8a",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#8ab8e6",
        "color-brand-content": "#8ab8e6",
    },
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
