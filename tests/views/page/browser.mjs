// The system's Chromium, one JSON question a line in, one JSON answer a line out. Its first argument is the
// browser's program. The page is the only thing that is ever loaded: every other request is told and refused.
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

const ADDRESS = 'https://report.invalid/'

const browser = await chromium.launch({ executablePath: process.argv[2], args: ['--no-sandbox'] })
let context, page, troubles

async function open({ file, options }) {
  await context?.close()
  troubles = { requests: [], violations: [], errors: [] }
  context = await browser.newContext(options)
  page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => troubles.errors.push(String(error)))
  // A browser tells on the console what a policy forbade.
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) troubles.violations.push(message.text())
  })
  const body = await readFile(file, 'utf-8')
  await page.route('**/*', (route) => {
    const url = route.request().url()
    if (url === ADDRESS) return route.fulfill({ body, contentType: 'text/html; charset=utf-8' })
    troubles.requests.push(url)
    return route.abort()
  })
  await page.goto(ADDRESS)
}

// What assistive technology is told: every role with its name and states, in reading order. Rows with
// `content-visibility` are told only when a first frame was drawn, which a busy machine is late with.
async function accessible() {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  const session = await context.newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  return nodes
    .filter((node) => !node.ignored)
    .map((node) => [node.role.value, node.name?.value ?? ''])
}

const answers = {
  open,
  accessible,
  evaluate: ({ script }) => page.evaluate(script),
  click: ({ selector }) => page.click(selector),
  press: ({ key }) => page.keyboard.press(key),
  type: ({ text }) => page.keyboard.type(text),
  media: ({ options }) => page.emulateMedia(options),
  picture: ({ file }) => page.screenshot({ path: file, animations: 'disabled' }),
  troubles: () => troubles,
}

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...question } = JSON.parse(line)
  let answer
  try {
    answer = { said: (await answers[ask](question)) ?? null }
  } catch (error) {
    answer = { failed: String(error) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
await browser.close()
