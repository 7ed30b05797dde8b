// Codex over a WebSocket, if its configuration says that the provider has one. A relay in front of the gateway sees what it sends.
import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../../gateway/testing/listen.ts'
import type { Agent, Tool } from './tools.ts'
import { getModel } from './tools-upstream.ts'
import { type TrialContext, testTask } from './trials.ts'

const SETTING = 'model_providers.tollgate.supports_websockets=true'

interface Asked {
  tool: Tool
  programs: string
  agent: Agent
}

/** The agent does its task in turns of one conversation, each of which is recorded and charged. */
export async function testSocket({ tollgate, ...context }: TrialContext, asked: Asked): Promise<string> {
  const relay = await startRelay(Number(new URL(tollgate.baseUrl).port))
  const tool: Tool = {
    ...asked.tool,
    ask(prompt, model) {
      const [program = '', command = '', ...rest] = asked.tool.ask?.(prompt, model) ?? []
      return [program, command, '-c', SETTING, ...rest]
    },
  }
  try {
    const relayed = { ...context, tollgate: { ...tollgate, baseUrl: relay.baseUrl } }
    const seen = await testTask(relayed, { ...asked, tool }, getModel('openai-responses'))
    const { sockets, posts } = relay.counts
    if (sockets === 0 || posts > 0)
      throw new Error(`it opened ${sockets} WebSockets, and sent ${posts} POSTs.`)
    return `${seen}, over ${sockets} WebSocket${sockets === 1 ? '' : 's'}`
  } finally {
    relay.close()
  }
}

/** Passes connections on, and counts them by their first request, in which it replaces its own address. */
async function startRelay(port: number) {
  const counts = { sockets: 0, posts: 0 }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.once('data', (chunk) => {
      const head = chunk.toString('latin1')
      if (/^upgrade: websocket/im.test(head)) counts.sockets += 1
      else if (head.startsWith('POST ')) counts.posts += 1
      // The gateway answers to its own address only.
      far.write(head.replace(/^(host: 127\.0\.0\.1):\d+/im, `$1:${port}`), 'latin1')
      near.pipe(far)
    })
    far.pipe(near)
  })
  return {
    counts,
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
