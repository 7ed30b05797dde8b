// Writes the configuration of a tool so that it calls the gateway, and undoes it.
import { relative } from 'node:path'
import { SerialQueue } from '../gateway/compose/host-api.ts'
import { diffLines } from '../shared/tools/diff.ts'
import { type McpServer, takesMcpServer, withMcpServer } from '../shared/tools/tool-mcp.ts'
import { describeModels } from '../shared/tools/tool-models.ts'
import {
  type FilePreview,
  SECRET_PLACEHOLDER,
  type ToolApply,
  type ToolChoice,
  type ToolOutcome,
  type ToolPreview,
  type ToolSetup,
  type UndoOutcome,
} from '../shared/tools/tool-setup.ts'
import { findTool, type ToolRow } from '../shared/tools/tool-table.ts'
import { digest } from './changes.ts'
import { hasFolder, type Surroundings } from './config-path.ts'
import { draftFiles, type FileDraft, type FileProblem, findSecret, isWritable } from './draft-files.ts'
import type { GatewayCalls } from './gateway-calls.ts'
import { isSignedIn } from './plan-sign-in.ts'
import { SetupRecords } from './setup-records.ts'
import { undoFiles, writeDrafts } from './write-drafts.ts'

/** The tool is not set up. The message is for the user. */
export class ToolSetupError extends Error {
  override name = 'ToolSetupError'
}

export interface ToolSetupOptions {
  dataDir: string
  surroundings: Surroundings
  gateway: GatewayCalls
  /** The MCP server that answers for a key; null if there is no command to start it. */
  mcpServer: ((secret: string) => McpServer) | null
  /** The hook that records branches and commits; null in the same case. */
  gitHook: string | null
}

const CHANGED = 'The files have changed since you looked. Look at the changes again.'

interface Plan {
  row: ToolRow
  model: string
  /** Null where the tool has no place for an MCP server, or there is no command to start it. */
  mcp: boolean | null
  git: boolean | null
  byPlan: ToolPreview['plan']
  /** The files with a given secret. */
  draft(secret: string): (FileDraft | FileProblem)[]
}

export class ToolSetups {
  readonly #records: SetupRecords
  readonly #surroundings: Surroundings
  readonly #gateway: GatewayCalls
  readonly #mcpServer: ToolSetupOptions['mcpServer']
  readonly #gitHook: string | null
  readonly #queue = new SerialQueue()

  constructor({ dataDir, surroundings, gateway, mcpServer, gitHook }: ToolSetupOptions) {
    this.#records = new SetupRecords(dataDir)
    this.#surroundings = surroundings
    this.#gateway = gateway
    this.#mcpServer = mcpServer
    this.#gitHook = gitHook
  }

  /** The tools that are set up. */
  list(): ToolSetup[] {
    return this.#records.all().map(({ tool, model, at, mcp, git, keyId, files }) => ({
      tool,
      model,
      at,
      mcp,
      git,
      keyId,
      paths: files.map(({ path }) => this.#shorten(path)),
    }))
  }

  preview(choice: ToolChoice): Promise<ToolPreview> {
    return this.#queue.run(async () => {
      const plan = await this.#plan(choice)
      const drafts = plan.draft(SECRET_PLACEHOLDER)
      const key = await this.#reusableKey(drafts)
      const shown = key ? plan.draft(key.secret) : drafts
      return {
        tool: plan.row.id,
        name: plan.row.name,
        model: plan.model,
        files: shown.map((draft) => this.#previewFile(draft, key?.secret ?? SECRET_PLACEHOLDER)),
        mcp: plan.mcp,
        git: plan.git,
        plan: plan.byPlan,
        keyName: key?.name ?? null,
        next: plan.row.next,
        reviewed: computeDigest(drafts),
      }
    })
  }

  /** Writes what was previewed. Throws ToolSetupError, FileChangedError or GatewayCallError, and has then changed nothing. */
  apply({ reviewed, keyName, spendLimitUsd, ...choice }: ToolApply): Promise<ToolOutcome> {
    return this.#queue.run(async () => {
      const plan = await this.#plan(choice)
      const drafts = plan.draft(SECRET_PLACEHOLDER)
      const problem = drafts.find((draft) => 'problem' in draft)
      if (problem) throw new ToolSetupError(`~/${problem.file.path} cannot be written. ${problem.problem}`)
      if (computeDigest(drafts) !== reviewed) throw new ToolSetupError(CHANGED)
      if (plan.byPlan?.on && plan.row.plan !== undefined) await this.#gateway.addPlan(plan.row.plan)
      const reused = await this.#reusableKey(drafts)
      const key = reused
        ? { ...reused, given: true }
        : { given: false, ...(await this.#gateway.createKey(keyName, spendLimitUsd)) }
      const earlier = this.#records.find(choice.tool)
      try {
        const files = plan.draft(key.secret).filter(isWritable)
        requireUnchanged(drafts, files)
        writeDrafts(files, this.#records, {
          tool: choice.tool,
          model: plan.model,
          mcp: plan.mcp === true,
          git: plan.git === true,
          keyId: key.id,
          keyCreated: !key.given || (earlier?.keyCreated === true && earlier.keyId === key.id),
        })
      } catch (error) {
        if (!key.given) await this.#gateway.revokeKey(key.id)
        throw error
      }
      const { id: keyId, secret } = key
      return { keyId, secret, next: plan.row.next, test: await this.#gateway.test(secret, plan.model) }
    })
  }

  /** Restores the files, without what others changed in them since, and revokes the key that was created. */
  undo(tool: string): Promise<UndoOutcome> {
    return this.#queue.run(async () => {
      const record = this.#records.find(tool)
      if (!record) throw new ToolSetupError('Tollgate has not set this tool up.')
      const files = undoFiles(record, this.#records, this.#surroundings).map((file) => ({
        ...file,
        path: this.#shorten(file.path),
      }))
      // The backups and the record are still needed for what failed.
      if (files.some(({ outcome }) => outcome === 'failed')) return { files, keyRevoked: false }
      const keyRevoked = record.keyCreated && (await this.#revoke(record.keyId))
      this.#records.remove(tool)
      return { files, keyRevoked }
    })
  }

  async #plan({ tool, model: chosen, mcp, git, plan }: ToolChoice): Promise<Plan> {
    const row = findTool(tool)
    if (!row) throw new ToolSetupError(`Tollgate cannot set up "${tool}".`)
    const baseUrl = this.#gateway.baseUrl()
    if (baseUrl === null) throw new ToolSetupError('The gateway is not listening. Choose a free port first.')
    const described = describeModels(await this.#gateway.models(), tool, chosen)
    const earlier = this.#records.find(tool)
    const sources = { records: this.#records, surroundings: this.#surroundings }
    const createServer = takesMcpServer(tool) ? this.#mcpServer : null
    const hook = row.hasHooks ? this.#gitHook : null
    return {
      row,
      model: described.model,
      mcp: createServer && mcp,
      git: hook === null ? null : git === true,
      byPlan:
        row.plan === undefined
          ? null
          : { on: plan === true, isSignedIn: isSignedIn(row.plan, this.#surroundings) },
      draft: (secret) => {
        const gitHook = git && hook !== null ? hook : undefined
        const files = row.files({ baseUrl, secret, plan: plan === true, gitHook, ...described })
        const server = mcp && createServer ? createServer(secret) : null
        const all = server || earlier?.mcp ? withMcpServer(tool, files, server) : files
        return draftFiles(all, earlier, sources)
      },
    }
  }

  /** The key that the files have already, if it can be used. */
  async #reusableKey(drafts: readonly (FileDraft | FileProblem)[]) {
    const secret = findSecret(drafts)
    if (secret === null || !secret.startsWith('tg-')) return null
    const key = await this.#gateway.identify(secret)
    return key && (key.scope === 'completions-only' || key.scope === 'full')
      ? { id: key.id, name: key.name, secret }
      : null
  }

  async #revoke(keyId: string): Promise<boolean> {
    try {
      await this.#gateway.revokeKey(keyId)
      return true
    } catch {
      // The user may have revoked it already.
      return false
    }
  }

  #previewFile(draft: FileDraft | FileProblem, secret: string): FilePreview {
    if ('problem' in draft) {
      const { file, problem } = draft
      const path = `~/${file.path}`
      return { path, exists: true, hasFolder: true, readableByOthers: false, problem, diff: [] }
    }
    const { target: found, current, after } = draft
    return {
      path: this.#shorten(found.path),
      exists: current !== null,
      hasFolder: hasFolder(found),
      readableByOthers:
        this.#surroundings.platform !== 'win32' &&
        ((found.stats?.mode ?? 0) & 0o044) !== 0 &&
        after.includes(secret),
      problem: null,
      diff: diffLines(current ?? '', after),
    }
  }

  #shorten(path: string): string {
    const inHome = relative(this.#surroundings.home, path)
    return inHome.startsWith('..') ? path : `~/${inHome.replaceAll('\\', '/')}`
  }
}

/** Throws if a file has changed since it was checked. */
function requireUnchanged(checked: readonly (FileDraft | FileProblem)[], now: readonly FileDraft[]): void {
  const isSame = checked.every((draft, index) => isWritable(draft) && draft.current === now[index]?.current)
  if (!isSame || checked.length !== now.length) throw new ToolSetupError(CHANGED)
}

function computeDigest(drafts: readonly (FileDraft | FileProblem)[]): string {
  return digest(
    drafts.map((draft) =>
      'problem' in draft ? draft.problem : [draft.target.realPath, draft.current, draft.after],
    ),
  )
}
