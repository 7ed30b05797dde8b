// Chromium's debugging protocol, as far as a measurement in the window needs it: https://chromedevtools.github.io/devtools-protocol/
import { z } from 'zod'
import { waitFor } from './wait-for.ts'

const Pages = z.array(z.object({ type: z.string(), url: z.string(), webSocketDebuggerUrl: z.string() }))
const Answer = z.object({ id: z.number(), result: z.object({ result: z.object({ value: z.unknown() }) }) })

/** The address of the first page whose URL begins with `prefix`, as soon as there is one. */
export async function findPage(host: string, prefix: string): Promise<string> {
  return await waitFor(async () => {
    const answer = await fetch(`http://${host}/json/list`)
    const pages = Pages.parse(await answer.json())
    const page = pages.find(({ type, url }) => type === 'page' && url.startsWith(prefix))
    return page?.webSocketDebuggerUrl ?? null
  })
}

/** The value of an expression in a page, or of its promise. */
export async function evaluateInPage(address: string, expression: string): Promise<unknown> {
  const socket = new WebSocket(address)
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', reject, { once: true })
    })
    return await new Promise((resolve, reject) => {
      socket.addEventListener('close', () => reject(new Error('The page was closed.')), { once: true })
      socket.addEventListener('message', ({ data }) => {
        const answer = Answer.safeParse(JSON.parse(String(data)))
        if (answer.success) resolve(answer.data.result.result.value)
        else reject(new Error(`The page answered ${String(data).slice(0, 300)}`))
      })
      const params = { expression, awaitPromise: true, returnByValue: true }
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }))
    })
  } finally {
    socket.close()
  }
}
