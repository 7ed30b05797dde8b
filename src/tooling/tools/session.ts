// Owns asking a real tool one thing: set up in a home of its own, with a key of its own, by Connect's text.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { buildSnippets } from '../../renderer/snippets/snippets.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import { root } from '../commands.ts'
import { scriptOf, writeFiles } from './paste.ts'
import { runBounded } from './run-bounded.ts'
import type { Tool } from './tools.ts'

const TIMEOUT_MS = 120_000

export interface Question {
  tool: Tool
  /** The folders of its programs, as PATH has them. */
  programs: string
  model: string
  prompt: string
}

export interface Outcome {
  /** All that it printed. */
  output: string
  /** The gateway's records of its requests, the newest first. */
  records: RequestRecord[]
  spendUsd: number
  /** What it has written to its project, the text's own files aside. */
  written: string[]
}

/** Throws when Connect has no text for the tool, or it did not end well. */
export async function askTool(tollgate: TestClient, question: Question): Promise<Outcome> {
  const { tool, programs, model, prompt } = question
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-tool-'))
  try {
    const place = { home: join(dir, 'home'), project: join(dir, 'project') }
    for (const path of Object.values(place)) mkdirSync(path)
    symlinkSync(join(root, 'node_modules'), join(place.project, 'node_modules'), 'dir')
    const { id, secret } = await tollgate.createKey({
      name: tool.id,
      scope: 'completions-only',
      spendLimitUsd: 5,
    })
    const text = buildSnippets({ baseUrl: `${tollgate.baseUrl}/v1`, secret, model }).find(
      (snippet) => snippet.id === tool.id,
    )
    if (!text) throw new Error('Connect has no text for it.')
    writeFiles(text, place)
    const before = new Set(readdirSync(place.project))
    const { code, output } = await runBounded(scriptOf(text, tool.ask?.(prompt, model) ?? null), {
      cwd: place.project,
      env: environment(place.home, programs),
      timeoutMs: TIMEOUT_MS,
    })
    if (code !== 0) throw new Error(`it ended with ${code ?? 'a time-out'}:\n${output.slice(-2000)}`)
    return {
      output,
      records: (await tollgate.call('GET', `/v1/requests?key=${id}`)).json.data,
      spendUsd: (await tollgate.call('GET', `/v1/keys/${id}`)).json.spendUsd,
      written: readdirSync(place.project).filter((name) => !before.has(name)),
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The environment of nobody in particular. What is not for this machine is sent to a proxy that is not there. */
function environment(home: string, programs: string): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9'
  return {
    PATH: [programs, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    USERPROFILE: home,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    NO_COLOR: '1',
    CI: '1',
  }
}
