// Sets a tool up in three steps: previews the changes to its files, writes what was reviewed, and undoes it. The window and
// `tollgate setup` both show these.
import { homedir } from 'node:os'
import { relative } from 'node:path'
import { SerialQueue } from '../gateway/compose/host-api.ts'
import { GatewayClient } from '../host/gateway-client.ts'
import type { CallingKey } from '../shared/api/keys.ts'
import { diffLines } from '../shared/tools/diff.ts'
import { describeModels } from '../shared/tools/tool-models.ts'
import {
  type FilePreview,
  SECRET_PLACEHOLDER,
  type ToolApply,
  type ToolChoice,
  type ToolExtra,
  type ToolOutcome,
  type ToolPreview,
  type ToolSetup,
  type UndoOutcome,
} from '../shared/tools/tool-setup.ts'
import { findTool, listFiles, type ToolRow } from '../shared/tools/tool-table.ts'
import { shellPath } from '../shared/values/text.ts'
import { digest } from './changes.ts'
import { hasFolder, readableByOthers, type Surroundings } from './config-path.ts'
import { describeGitHook, describeMcpServer, findOwnCommand } from './own-command.ts'
import { isSignedIn } from './plan-sign-in.ts'
import {
  draftFiles,
  type FileDraft,
  type FileProblem,
  isWritable,
  undoFiles,
  writeDrafts,
} from './setup-files.ts'
import { createSetupGateway, type SetupGateway } from './setup-gateway.ts'
import { SetupRecords } from './setup-records.ts'

/** The tool is not set up. The message is for the user. */
class ToolSetupError extends Error {
  override name = 'ToolSetupError'
}

export interface ToolSetupOptions {
  dataDir: string
  surroundings: Surroundings
  gateway: SetupGateway
  /** How tools start `tollgate`; null if they cannot. */
  command: readonly string[] | null
}

/** For the gateway of a data folder and the tools of this user. */
export function createToolSetups(dataDir: string): ToolSetups {
  return new ToolSetups({
    dataDir,
    surroundings: { home: homedir(), platform: process.platform, env: process.env },
    gateway: createSetupGateway(new GatewayClient(dataDir)),
    command: findOwnCommand(),
  })
}

const CHANGED = 'The files have changed since you looked. Look at the changes again.'

type Draft = FileDraft | FileProblem

interface Plan {
  row: ToolRow
  baseUrl: string
  model: string
  offers: ToolExtra[]
  /** The files with a given secret. */
  draft(secret: string): Draft[]
}

export class ToolSetups {
  readonly #options: ToolSetupOptions
  readonly #records: SetupRecords
  readonly #queue = new SerialQueue()

  constructor(options: ToolSetupOptions) {
    this.#options = options
    this.#records = new SetupRecords(options.dataDir)
  }

  /** The tools that are set up. */
  list(): ToolSetup[] {
    return this.#records.all().map(({ tool, extras, keyId, files }) => ({
      tool,
      extras,
      keyId,
      // The others lost what an earlier setup had written.
      paths: files.filter(({ steps }) => steps.length > 0).map(({ path }) => this.#shorten(path)),
    }))
  }

  preview(choice: ToolChoice): Promise<ToolPreview> {
    return this.#queue.run(async () => {
      const plan = await this.#plan(choice)
      const { row, model, offers, baseUrl } = plan
      const drafts = plan.draft(SECRET_PLACEHOLDER)
      const key = await this.#findKey(drafts, baseUrl)
      const secret = key?.secret ?? SECRET_PLACEHOLDER
      return {
        choice: { ...choice, extras: choice.extras.filter((extra) => offers.includes(extra)) },
        name: row.name,
        model,
        files: plan.draft(secret).map((draft) => this.#previewFile(draft, row.name, secret)),
        offers,
        keyName: key?.name ?? null,
        reviewed: computeDigest(drafts),
      }
    })
  }

  /** Writes what was previewed. Throws ToolSetupError, FileChangedError or RefusedCallError, and has then changed nothing. */
  apply({ reviewed, keyName, spendLimitUsd, ...choice }: ToolApply): Promise<ToolOutcome> {
    return this.#queue.run(async () => {
      const { gateway } = this.#options
      const { tool, extras } = choice
      const { row, model, baseUrl, draft } = await this.#plan(choice)
      const drafts = draft(SECRET_PLACEHOLDER)
      const problem = drafts.find((each) => 'problem' in each)
      if (problem) throw new ToolSetupError(`${problem.path} cannot be written. ${problem.problem}`)
      if (computeDigest(drafts) !== reviewed) throw new ToolSetupError(CHANGED)
      if (extras.includes('plan') && row.plan !== undefined) await gateway.addPlan(row.plan)
      const existing = await this.#findKey(drafts, baseUrl)
      const { id: keyId, secret } = existing ?? (await gateway.createKey(keyName, spendLimitUsd))
      const earlier = this.#records.find(tool)
      const keyCreated = !existing || (earlier?.keyCreated === true && earlier.keyId === keyId)
      try {
        const files = draft(secret).filter(isWritable)
        requireUnchanged(drafts, files)
        writeDrafts(files, this.#records, { tool, keyId, keyCreated, extras })
      } catch (error) {
        if (!existing) await gateway.revokeKey(keyId)
        throw error
      }
      return { keyId, secret, next: row.next, test: await gateway.test(baseUrl, secret, model) }
    })
  }

  /** Restores the files, without what others changed in them since, and revokes the key that was created. */
  undo(tool: string): Promise<UndoOutcome> {
    return this.#queue.run(async () => {
      const record = this.#records.find(tool)
      if (!record) throw new ToolSetupError('Tollgate has not set this tool up.')
      const undone = undoFiles(record.files, this.#findPlace(tool)).map((file, index) => ({
        ...file,
        path: this.#shorten(record.files[index]?.path ?? ''),
      }))
      const kept = undone.flatMap((file) => file.kept.map((setting) => `${setting} in ${file.path}`))
      const problems = undone.flatMap(({ path, problem }) => (problem === null ? [] : `${path}: ${problem}`))
      // The backups and the record are still needed for what failed.
      if (problems.length > 0) return { kept, problems, keyRevoked: false }
      const keyRevoked = record.keyCreated && (await this.#revoke(record.keyId))
      this.#records.remove(tool)
      return { kept, problems, keyRevoked }
    })
  }

  #findPlace(tool: string) {
    return { tool, records: this.#records, surroundings: this.#options.surroundings }
  }

  async #plan({ tool, model: chosen, extras }: ToolChoice): Promise<Plan> {
    const { gateway, command, dataDir, surroundings } = this.#options
    const row = findTool(tool)
    if (!row) throw new ToolSetupError(`Tollgate cannot set up "${tool}".`)
    const baseUrl = await gateway.findBaseUrl()
    if (baseUrl === null) throw new ToolSetupError('The gateway is not listening. Choose a free port first.')
    const described = describeModels(await gateway.listModels(), tool, chosen)
    const offers: ToolExtra[] = []
    if (row.plan && (extras.includes('plan') || isSignedIn(row.plan, surroundings))) offers.push('plan')
    if (row.mcp && command) offers.push('mcp')
    if (row.hasHooks && command) offers.push('git')
    const has = (extra: ToolExtra) => extras.includes(extra) && offers.includes(extra)
    return {
      row,
      baseUrl,
      model: described.model,
      offers,
      draft: (secret) => {
        const files = listFiles(row, {
          ...described,
          baseUrl,
          secret,
          plan: has('plan'),
          gitHook: command && has('git') ? describeGitHook(command, dataDir) : undefined,
          mcpServer: command && has('mcp') ? describeMcpServer(command, dataDir, secret) : undefined,
        })
        return draftFiles(files, this.#records.find(tool), this.#findPlace(tool))
      },
    }
  }

  /** The key that the files have already, if a tool can use it. */
  async #findKey(
    drafts: readonly Draft[],
    baseUrl: string,
  ): Promise<(CallingKey & { secret: string }) | null> {
    const texts = drafts.map((draft) => ('current' in draft ? (draft.current ?? '') : ''))
    for (const secret of new Set(texts.join('\n').match(/\btg-[\w-]+/g))) {
      const key = await this.#options.gateway.identify(baseUrl, secret)
      if (key?.scope === 'completions-only' || key?.scope === 'full') return { ...key, secret }
    }
    return null
  }

  async #revoke(keyId: string): Promise<boolean> {
    try {
      await this.#options.gateway.revokeKey(keyId)
      return true
    } catch {
      // The user may have revoked it already, or Tollgate is stopped.
      return false
    }
  }

  #previewFile(draft: Draft, name: string, secret: string): FilePreview {
    if ('problem' in draft) return { ...draft, exists: true, warnings: [], diff: [] }
    const { realPath, current, after } = draft
    const path = this.#shorten(draft.path)
    const warnings = []
    if (!hasFolder(realPath))
      warnings.push(`The folder of ${name} does not exist yet. Is the tool installed?`)
    if (after?.includes(secret) && readableByOthers(realPath, this.#options.surroundings))
      warnings.push(
        `Other users of this computer can read ${path}, and so the key in it. To prevent that: chmod 600 ${shellPath(path)}`,
      )
    return {
      path,
      exists: current !== null,
      problem: null,
      warnings,
      diff: diffLines(current ?? '', after ?? ''),
    }
  }

  #shorten(path: string): string {
    const inHome = relative(this.#options.surroundings.home, path)
    return inHome.startsWith('..') ? path : `~/${inHome.replaceAll('\\', '/')}`
  }
}

/** Throws if a file has changed since it was checked. */
function requireUnchanged(checked: readonly Draft[], now: readonly FileDraft[]): void {
  const isSame = checked.every((draft, index) => isWritable(draft) && draft.current === now[index]?.current)
  if (!isSame || checked.length !== now.length) throw new ToolSetupError(CHANGED)
}

function computeDigest(drafts: readonly Draft[]): string {
  return digest(
    drafts.map((draft) =>
      'problem' in draft ? draft.problem : [draft.realPath, draft.current, draft.after],
    ),
  )
}
