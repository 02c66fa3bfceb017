// Reads Slack's markup and says what is in it: one JSON string a line in, one JSON reading a line out.
// A reading is the words, the links with their labels, and everything else that acts or formats.
import { createInterface } from 'node:readline'
import simpleMarkdown from 'simple-markdown'
import slackMarkdown from 'slack-markdown'

const parse = simpleMarkdown.parserFor(slackMarkdown.rules)
const INERT = new Set(['strong', 'blockQuote'])

function flat(node, found) {
  if (Array.isArray(node)) return node.map((one) => flat(one, found)).join('')
  if (['text', 'inlineCode', 'codeBlock'].includes(node.type)) return node.content
  if (['br', 'newline'].includes(node.type)) return '\n'
  const words = Array.isArray(node.content) ? flat(node.content, found) : String(node.content ?? '')
  if (node.type === 'autolink') found.links.push([words, node.target])
  else if (!INERT.has(node.type)) found.live.push([node.type, words])
  return words
}

for await (const line of createInterface({ input: process.stdin })) {
  const found = { links: [], live: [] }
  const words = flat(parse(JSON.parse(line), { inline: true }), found)
  process.stdout.write(JSON.stringify({ words, ...found }) + '\n')
}
