// Chromium's debugging protocol, as far as a measurement in the window needs it:
// https://chromedevtools.github.io/devtools-protocol/
import { once } from 'node:events'
import { z } from 'zod'
import { waitFor } from './clock.ts'

const Pages = z.array(z.object({ type: z.string(), url: z.string(), webSocketDebuggerUrl: z.string() }))
const Answer = z.object({
  result: z.object({ result: z.object({ value: z.unknown() }) }).optional(),
  error: z.object({ message: z.string() }).optional(),
})

/** The value of an expression, or of its promise, in the first page whose URL begins with `prefix`. */
export async function evaluateInPage(host: string, prefix: string, expression: string): Promise<unknown> {
  return await waitFor(async () => {
    const answer = await fetch(`http://${host}/json/list`)
    const pages = Pages.parse(await answer.json())
    const page = pages.find(({ type, url }) => type === 'page' && url.startsWith(prefix))
    return page === undefined ? null : await evaluate(page.webSocketDebuggerUrl, expression)
  })
}

/** Null when the page was replaced meanwhile, as it is once while a window starts. */
async function evaluate(address: string, expression: string): Promise<unknown> {
  const socket = new WebSocket(address)
  try {
    await once(socket, 'open')
    const params = { expression, awaitPromise: true, returnByValue: true }
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    const [event] = await once(socket, 'message')
    const text = z.object({ data: z.string() }).parse(event).data
    const { result, error } = Answer.parse(JSON.parse(text))
    if (result) return result.result.value
    if (error?.message.includes('context')) return null
    throw new Error(`The page answered ${text.slice(0, 300)}`)
  } finally {
    socket.close()
  }
}
