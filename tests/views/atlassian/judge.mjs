// Jira's own parsers, one JSON question a line in, one JSON answer a line out:
// {"wiki": text} is answered with the document that the text is to Jira,
// {"adf": document} with what the published schema and the editor say against it, or null.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const require = createRequire(import.meta.url)
const { defaultSchema } = require('@atlaskit/adf-schema/schema-default')
const { WikiMarkupTransformer } = require('@atlaskit/editor-wikimarkup-transformer')
const Ajv = require('ajv-draft-04')

const wiki = new WikiMarkupTransformer()
const published = new Ajv({ strict: false }).compile(require('@atlaskit/adf-schema/json-schema/v1/full.json'))

function complaint(document) {
  if (!published(document)) return `schema: ${published.errors[0].instancePath} ${published.errors[0].message}`
  try {
    defaultSchema.nodeFromJSON(document).check()
    return null
  } catch (error) {
    return `editor: ${error.message}`
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line)
  const answer = 'wiki' in question ? wiki.parse(question.wiki, {}).toJSON() : complaint(question.adf)
  process.stdout.write(JSON.stringify(answer) + '\n')
}
