"""The page stands alone: text is only text, and it forbids itself everything else."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

from gfm_readings import bare, meant
from hostile_documents import documents
from hypothesis import given

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Heading,
    Link,
    Paragraph,
    Part,
    Quote,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.page import render_page

FRAME = {"html", "head", "meta", "title", "style", "body", "main", "footer", "div"}
BLOCKS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
OURS = FRAME | BLOCKS | {"blockquote", "pre", "details", "summary", "strong", "code", "span", "a", "br"}
EMPTY = {"meta", "br"}


class Page(HTMLParser):
    """Reads a page: its tags in order, its addresses, its text; refuses what does not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "style", "action")]
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "title"):
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def test_each_block_has_its_form() -> None:
    html = render_page(
        Document(
            (
                Part(
                    "all",
                    0,
                    (
                        Heading(1, (Text("Title <b>"),)),
                        Paragraph((Text("a\nb"), Strong("strong"), Status("stale", Tone.BAD))),
                        Bullets(((Code("x"),),)),
                        Table(("h<",), (((Text("c"),),),), more=3),
                        Quote("q\nr"),
                        CodeBlock("\nx"),
                        Details((Text("s"),), (Heading(9, (Text("deep"),)),)),
                    ),
                ),
            ),
            (Paragraph((Link("run", "https://a.example/1"),)),),
        )
    )
    body = html[html.index("<main>") : html.index("</main>")]
    assert (
        body
        == """<main>
<h1>Title &lt;b&gt;</h1>
<p>a<br>b<strong>strong</strong><span class="status bad">✗ stale</span></p>
<ul><li><code>x</code></li></ul>
<div class="table"><table>
<thead><tr><th scope="col">h&lt;</th></tr></thead>
<tbody>
<tr><td data-name="h&lt;">c</td></tr>
</tbody>
</table></div>
<p class="more">… and 3 more.</p>
<blockquote>q
r</blockquote>
<pre>

x</pre>
<details>
<summary>s</summary>
<h6>deep</h6>
</details>
<footer>
<p><a href="https://a.example/1" rel="noreferrer">run</a></p>
</footer>
"""
    )
    assert "<title>Title &lt;b&gt;</title>" in html


def test_the_policy_allows_its_own_style_sheet_and_nothing_else() -> None:
    html = render_page(Document(()))
    style = re.search("<style>(.*)</style>", html, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1] == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert "prefers-color-scheme: dark" in style[1]


def test_a_page_without_a_heading_has_a_title() -> None:
    assert "<title>Ophiuchus</title>" in render_page(Document(()))


@given(documents)
def test_data_is_text_and_only_our_links_lead_anywhere(document: Document) -> None:
    page = Page(render_page(document))
    assert set(page.tags) <= OURS
    assert page.addresses == [
        target for target in page.addresses if target.startswith(("https://example.org/", "http://127"))
    ]
    assert clean(page.text) == page.text
    said = meant(document.blocks)
    assert page.tags.count("details") == sum(block[0] == "open" for block in said.blocks)
    assert page.tags.count("table") == sum(block[0] == "table" for block in said.blocks)
    for block in said.blocks:
        if block[0] in ("heading", "paragraph"):
            assert "".join(block[-1].split()) in "".join(bare(page.text).split())
