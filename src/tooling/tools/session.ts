// Calls a real tool once, with an API key and a home folder for this call, set up by Connect's instructions.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { readCalls } from '../../features/history/gateway/read-history.ts'
import type { UsageRow } from '../../features/history/gateway/readers/reader.ts'
import type { TestClient } from '../../gateway/testing/gateway.ts'
import { openLiveEvents } from '../../gateway/testing/live-events.ts'
import { buildSnippets } from '../../renderer/parts/snippets/build-snippets.ts'
import type { Snippet } from '../../renderer/parts/snippets/snippet.ts'
import type { HistoryState } from '../../shared/api/history.ts'
import { HISTORY_TOOLS } from '../../shared/api/history-tools.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import type { Session } from '../../shared/api/sessions.ts'
import type { ToolInput } from '../../shared/tools/tool-config.ts'
import { root } from '../commands.ts'
import { createScript, writeFiles } from './paste.ts'
import { runBounded } from './run-bounded.ts'
import type { Tool } from './tools.ts'

/** Ends a tool that hangs. It may take long on a machine that does other work as well. */
export const TIMEOUT_MS = 300_000

export interface Question {
  tool: Tool
  /** The folders of its programs, in the form of PATH. */
  programs: string
  model: string
  prompt: string
  /** The home folder of the gateway, which then imports the tool's log. */
  historyHome?: string
  /** The cap of the API key that it uses; 5 USD if absent. */
  spendLimitUsd?: number
}

export interface Outcome {
  /** Null after the time limit. */
  code: number | null
  /** Its output. */
  output: string
  /** The gateway's records of its requests, newest first. */
  records: RequestRecord[]
  /** Their sessions. */
  sessions: Session[]
  spendUsd: number
  /** The calls in its own log. */
  logged: UsageRow[]
  /** What the import of its log has added; undefined without one. */
  imported: Pick<HistoryState['imported'][number], 'calls' | 'metered'> | undefined
  /** The files that it wrote to its project, without those of the instructions. */
  written: string[]
}

/** Throws when Connect has no instructions for the tool. */
export async function askTool(tollgate: TestClient, question: Question): Promise<Outcome> {
  const { tool, programs, model, prompt, spendLimitUsd = 5, historyHome } = question
  const { id, secret } = await tollgate.createKey({
    name: tool.id,
    scope: 'completions-only',
    spendLimitUsd,
  })
  const input = { baseUrl: `${tollgate.baseUrl}/v1`, secret, model, searches: false }
  return setUp(tool, input, async (text, place) => {
    const before = new Set(readdirSync(place.project))
    const { code, output } = await runBounded(createScript(text, tool.ask?.(prompt, model) ?? null), {
      cwd: place.project,
      env: environment(place.home, programs),
      timeoutMs: TIMEOUT_MS,
    })
    // A refused request is recorded after its answer. Writes keep their order, so it is there when a later one is.
    await tollgate.call('PATCH', `/v1/keys/${id}`, { body: { name: `${tool.id}, ended` } })
    return {
      code,
      output,
      records: (await tollgate.call('GET', `/v1/requests?key=${id}`)).json.data,
      sessions: (await tollgate.call('GET', `/v1/sessions?key=${id}`)).json.data,
      spendUsd: (await tollgate.call('GET', `/v1/keys/${id}`)).json.spendUsd,
      logged: await readLogged(tool.id, place.home),
      imported:
        historyHome === undefined ? undefined : await importLog(tollgate, tool.id, place.home, historyHome),
      written: readdirSync(place.project).filter((name) => !before.has(name)),
    }
  })
}

async function readLogged(id: string, home: string): Promise<UsageRow[]> {
  const tool = HISTORY_TOOLS.find((each) => each === id)
  return tool === undefined ? [] : (await readCalls(tool, { home, env: {} })).rows
}

/** The gateway imports the log of the tool in `home`. */
async function importLog(
  tollgate: TestClient,
  id: string,
  home: string,
  historyHome: string,
): Promise<Outcome['imported']> {
  const tool = HISTORY_TOOLS.find((each) => each === id)
  if (tool === undefined) return undefined
  // The gateway may have folders of its own there.
  const links = readdirSync(home)
    .map((name) => ({ from: join(home, name), to: join(historyHome, name) }))
    .filter(({ to }) => !existsSync(to))
  for (const { from, to } of links) symlinkSync(from, to)
  const readCounts = async () => {
    const state: HistoryState = (await tollgate.call('GET', '/v1/history')).json
    return state.imported.find((imported) => imported.tool === tool) ?? { calls: 0, metered: 0 }
  }
  const earlier = await readCounts()
  const events = await openLiveEvents(tollgate)
  await tollgate.call('POST', '/v1/history', { body: { tool } })
  await events.readUntil((text) => text.includes('"type":"history","running":null'))
  events.close()
  for (const { to } of links) unlinkSync(to)
  const { calls, metered } = await readCounts()
  return { calls: calls - earlier.calls, metered: metered - earlier.metered }
}

/** Calls `use` with a home and a project that are set up by Connect's instructions, and removes them. */
export async function setUp<T>(
  tool: Tool,
  input: ToolInput,
  use: (text: Snippet, place: { home: string; project: string }) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-tool-'))
  try {
    const place = { home: join(dir, 'home'), project: join(dir, 'project') }
    for (const path of Object.values(place)) mkdirSync(path)
    writeFileSync(clineSettings(place.home), JSON.stringify({ telemetryOptOut: true }))
    symlinkSync(join(root, 'node_modules'), join(place.project, 'node_modules'), 'dir')
    const text = buildSnippets(input).find((snippet) => snippet.id === tool.id)
    if (!text) throw new Error('Connect has no text for it.')
    writeFiles(text, place)
    return await use(text, place)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const clineSettings = (home: string) => join(home, 'cline-settings.json')

/** An environment without the user's settings. Requests to other machines go to a proxy that does not exist. */
export function environment(home: string, programs: string): Record<string, string> {
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
    // Their own switches for telemetry, updates and other calls to their vendors.
    DO_NOT_TRACK: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    GEMINI_TELEMETRY_ENABLED: 'false',
    QWEN_TELEMETRY_ENABLED: 'false',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    CONTINUE_TELEMETRY_ENABLED: '0',
    COPILOT_AUTO_UPDATE: 'false',
    // Its telemetry, which no variable turns off, delays each end by ten seconds where it cannot be sent.
    CLINE_GLOBAL_SETTINGS_PATH: clineSettings(home),
    // Without a process in the background that outlives the call.
    CLINE_SESSION_BACKEND_MODE: 'local',
  }
}
