"""Blocks of a document as HTML: text is only text."""

from __future__ import annotations

from gfm_readings import bare, meant
from hostile_documents import documents
from hypothesis import given
from page_reading import ReadPage

from ophiuchus.text.clean import clean
from ophiuchus.views.document import (
    Bullets,
    Code,
    CodeBlock,
    Details,
    Document,
    Graph,
    Heading,
    Link,
    Node,
    Paragraph,
    Quote,
    Status,
    Strong,
    Table,
    Text,
    Tone,
)
from ophiuchus.views.page.markup import blocks_html

BLOCKS = {
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "p",
    "ul",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
}
OURS = BLOCKS | {"blockquote", "pre", "details", "summary", "strong", "code", "span", "a", "br"}


def test_each_block_has_its_form() -> None:
    html = blocks_html(
        (
            Heading(1, (Text("Title <b>"),)),
            Paragraph((Text("a\nb"), Strong("strong"), Status("stale", Tone.BAD))),
            Bullets(((Code("x"),),)),
            Table(("h<",), (((Text("c"),),),), more=3),
            Quote("q\nr"),
            CodeBlock("\nx"),
            Graph((Node("a"), Node("b")), ((0, 1),)),
            Details((Text("s"),), (Heading(9, (Text("deep"),)),)),
            Paragraph((Link("run", "https://a.example/1"),)),
            Paragraph((Link("5c<", "https://a.example/2", is_name=True),)),
        )
    )
    assert (
        html
        == """<h1>Title &lt;b&gt;</h1>
<p>a<br>b<strong>strong</strong><span class="status bad">✗ stale</span></p>
<ul><li><code>x</code></li></ul>
<div class="table"><table>
<thead><tr><th scope="col">h&lt;</th></tr></thead>
<tbody>
<tr><td>c</td></tr>
</tbody>
</table></div>
<p class="more">… and 3 more.</p>
<blockquote>q
r</blockquote>
<pre>

x</pre>
<ul><li><code>b</code> continues <code>a</code></li></ul>
<details>
<summary>s</summary>
<h6>deep</h6>
</details>
<p><a href="https://a.example/1" rel="noreferrer">run</a></p>
<p><a href="https://a.example/2" rel="noreferrer"><code>5c&lt;</code></a></p>
"""
    )


@given(documents)
def test_data_is_text_and_only_our_links_lead_anywhere(document: Document) -> None:
    page = ReadPage(blocks_html(document.blocks))
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
