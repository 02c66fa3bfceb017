// Reads Markdown as GitHub would and says what is in it: one JSON string a line in, one JSON reading a line out.
// A reading is the blocks in order, each with its text, and everything live: links, references, pictures.
import { createInterface } from 'node:readline'
import remarkGfm from 'remark-gfm'
import remarkGithub from 'remark-github'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

const reader = unified().use(remarkParse).use(remarkGfm).use(remarkGithub, { repository: 'octo/shop' })
const INERT = new Set(['text', 'inlineCode', 'break', 'strong', 'link'])

function flat(node, found) {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value
  if (node.type === 'break') return '\n'
  if (node.type === 'link') found.links.push([flatAll(node, { links: [], live: [] }), node.url])
  else if (!INERT.has(node.type)) found.live.push([node.type, node.url ?? node.value ?? ''])
  return flatAll(node, found)
}

function flatAll(node, found) {
  return (node.children ?? []).map((child) => flat(child, found)).join('')
}

function block(node, found) {
  switch (node.type) {
    case 'heading':
      return ['heading', node.depth, flatAll(node, found)]
    case 'paragraph':
      return ['paragraph', flatAll(node, found)]
    case 'list':
      if (node.ordered || node.children.some((item) => item.checked !== null)) found.live.push(['list', ''])
      return ['list', node.children.map((item) => item.children.map((child) => block(child, found)))]
    case 'table':
      return ['table', node.children.map((row) => row.children.map((cell) => flatAll(cell, found)))]
    case 'blockquote':
      return ['quote', node.children.map((child) => block(child, found))]
    case 'code':
      return ['code', node.lang ?? '', node.value]
    case 'html':
      return ['html', node.value]
    default:
      found.live.push([node.type, node.url ?? ''])
      return [node.type]
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const found = { links: [], live: [] }
  const file = { value: JSON.parse(line) }
  const tree = await reader.run(reader.parse(file.value))
  const blocks = tree.children.map((node) => block(node, found))
  process.stdout.write(JSON.stringify({ blocks, ...found }) + '\n')
}
