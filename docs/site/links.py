"""Checks a built site: links lead somewhere, anchors exist, nothing is requested from the web."""

import html.parser
import pathlib
import urllib.parse

# Attributes by which a page loads something by itself, as opposed to a link that a reader follows.
LOADS = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
}
# Relations of <link> that load nothing.
SILENT = {"canonical", "search", "index", "next", "prev", "author", "license"}


class Page(html.parser.HTMLParser):
    """The anchors, links and loaded files of one page."""

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.anchors.add(str(found["id"]))
        if tag == "a" and found.get("name"):
            self.anchors.add(str(found["name"]))
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if tag in LOADS and found.get(LOADS[tag]):
            if tag != "link" or found.get("rel") not in SILENT:
                self.loaded.append(str(found[LOADS[tag]]))


def check(site: pathlib.Path) -> list[str]:
    """What is wrong with the links of the site in a folder, a line for each; empty when all is right."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loaded:
            if target.startswith(("http:", "https:", "//")):
                problems.append(f"{name} requests {target} from the web")
        for target in [*page.links, *page.loaded]:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or target.startswith("//"):
                continue
            file = path
            if parts.path:
                file = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if file.is_dir():
                file = file / "index.html"
            if not file.is_file():
                problems.append(f"{name} links to {target}, which is not there")
            elif parts.fragment and file in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[file].anchors:
                    problems.append(f"{name} links to {target}: no such anchor")
    return problems
