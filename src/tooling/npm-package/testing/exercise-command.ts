// Uses the command `tollgate` of a package as a new user of a server does, in a Node without Electron.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { LLMock } from '@copilotkit/aimock'
import { z } from 'zod'

export interface Command {
  /** The path of the Node that runs it. */
  node: string
  /** The path of `cli.js`. */
  script: string
  /** An empty folder for everything that it writes. */
  home: string
}

const Ready = z.object({ baseUrl: z.string(), adminKey: z.string() })
const Created = z.object({ secret: z.string() })
const Answer = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) })

const CREDENTIAL = 'sk-other-canary-93b1'
const ANSWER = 'Toll paid.'

/** In the log: its time, its level and its message. */
const ERROR_LINES = /^\S+ error .*/gm

/** The script of a client: it sends one request with the key and address that `tollgate run` gave it. */
const CLIENT = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hello' }] }),
}).then(async (answer) => { await answer.text(); process.exit(answer.ok ? 0 : 1) })`

/** Starts the gateway, creates a key, calls models with it, runs a command, and stops. Returns what can be checked. */
export async function exerciseCommand(command: Command) {
  const upstream = new LLMock({ port: 0, host: '127.0.0.1', auth: { apiKeys: [CREDENTIAL] } })
  upstream.addFixture({ match: {}, response: { content: ANSWER } })
  const upstreamUrl = `${await upstream.start()}/v1`
  const gateway = start(command, ['serve', '--port', '0', '--credentials', 'env'])
  const log = text(gateway.stderr)
  try {
    const ended = once(gateway, 'exit')
    const [line] = await Promise.race([
      once(createInterface(gateway.stdout), 'line'),
      ended.then(async () => Promise.reject(new Error(await log))),
    ])
    const { baseUrl, adminKey } = Ready.parse(JSON.parse(String(line)))
    const page = await fetch(`${baseUrl}/`)
    const { secret } = Created.parse(
      JSON.parse((await run(command, ['keys', 'create', 'Tool', '--cap', '1', '--json'])).stdout),
    )
    const call = async (key: string, method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) })
    }
    const ask = async (model: string) => {
      const body = { model, messages: [{ role: 'user', content: 'Hello' }] }
      const answer = await call(secret, 'POST', '/v1/chat/completions', body)
      return { answer, content: Answer.parse(await answer.json()).choices[0]?.message.content }
    }
    const sandbox = await ask('sandbox-small')
    await call(adminKey, 'PUT', '/v1/providers/other', { apiFormat: 'openai-chat', baseUrl: upstreamUrl })
    await call(adminKey, 'PUT', '/v1/models/greeter', {
      provider: 'other',
      pricing: { inputPerMillion: 1, outputPerMillion: 1 },
    })
    const other = await ask('greeter')
    const ran = await run(command, ['run', '--cap', '1', '--', command.node, '-e', CLIENT])
    const version = await run(command, ['--version'])
    gateway.kill('SIGTERM')
    return {
      page: { status: page.status, html: (await page.text()).includes('<title>Tollgate</title>') },
      sandbox: {
        content: sandbox.content,
        costUsd: Number(sandbox.answer.headers.get('x-service-cost-usd')),
      },
      other: other.content,
      ran: { code: ran.code, hasReceipt: ran.stderr.includes('sandbox-small') },
      version: version.stdout.trim(),
      exit: await ended,
      errors: (await log).match(ERROR_LINES) ?? [],
    }
  } finally {
    gateway.kill('SIGKILL')
    await upstream.stop()
  }
}

/** Nothing of this machine's environment: no credential, no session bus. */
function start({ node, script, home }: Command, args: readonly string[]) {
  const env = {
    HOME: home,
    PATH: '/usr/bin:/bin',
    TOLLGATE_DATA_DIR: `${home}/data`,
    TOLLGATE_CREDENTIAL_OTHER: CREDENTIAL,
  }
  return spawn(node, [script, ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(command: Command, args: readonly string[]) {
  const child = start(command, args)
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, stdout, stderr }
}

export const AS_EXPECTED = {
  page: { status: 200, html: true },
  other: ANSWER,
  ran: { code: 0, hasReceipt: true },
  exit: [0, null],
  errors: [],
}
