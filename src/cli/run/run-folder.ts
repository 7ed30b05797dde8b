// The files of a run, for tools that read no variables: configurations with the provider of the run, to which variables lead, and
// programs that go before the real ones on PATH. All are in one folder of the data folder, readable by the user only, and removed
// with the run.
import {
  accessSync,
  constants,
  copyFileSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, posix } from 'node:path'
import type { ConfigFile } from '../../shared/tools/tool-config.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { applyChanges } from '../../tool-setup/changes.ts'
import { UnreadableFileError } from '../../tool-setup/edit.ts'
import { childArguments, createFiles, type Environment, inputFor, type RunTarget } from './environment.ts'

export interface RunFolder {
  /** Variables that lead tools to it. */
  variables: Readonly<Record<string, string>>
  /** Whether the command is found in it. */
  wraps(command: string): boolean
  /** Leaves what cannot be removed to a later run. */
  remove(): void
}

/** A tool that reads its provider from files only, and the folder of which from a variable. */
interface FolderTool {
  variable: string
  /** Below the home folder. */
  folder: string
  files(target: RunTarget): readonly ConfigFile[]
}

const folderTools: readonly FolderTool[] = [
  // Sources: the tools' own code (`core/util/paths.ts`, `getAgentDir`, `GlobalConfig`, `CLINE_DIR`).
  { variable: 'CONTINUE_GLOBAL_DIR', folder: '.continue', files: (run) => createFiles('continue', run) },
  { variable: 'PI_CODING_AGENT_DIR', folder: '.pi/agent', files: (run) => createFiles('pi', run) },
  { variable: 'CRUSH_GLOBAL_CONFIG', folder: '.config/crush', files: (run) => createFiles('crush', run) },
  { variable: 'CLINE_DIR', folder: '.cline', files: createClineFiles },
]

/** The files that `cline auth -p openai-compatible` writes. */
function createClineFiles(target: RunTarget): ConfigFile[] {
  const { baseUrl, secret, model } = inputFor('cline', target)
  const value = {
    settings: { provider: 'openai-compatible', apiKey: secret, model, baseUrl },
    tokenSource: 'manual',
    updatedAt: new Date().toISOString(),
  }
  return [
    {
      path: '.cline/data/settings/providers.json',
      syntax: 'json',
      initial: { version: 1, modes: {} },
      changes: [
        { at: ['lastUsedProvider'], value: 'openai-compatible' },
        { at: ['providers', 'openai-compatible'], value },
      ],
    },
  ]
}

/** Settings of a computer that win over those of a user and of a project, for tools whose sign-in no variable chooses. */
const systemTools = [
  { tool: 'gemini', variable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', usual: '/etc/gemini-cli/settings.json' },
  { tool: 'qwen', variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH', usual: '/etc/qwen-code/settings.json' },
]

/** Creates the folder, or nothing. What cannot be read of a tool's own files is left out. */
export function createRunFolder(target: RunTarget, parent: Environment): RunFolder {
  const all = join(target.dataDir, 'runs')
  removeOld(all)
  const dir = join(all, target.keyId)
  try {
    const variables = fillFolder(dir, target, parent)
    const wraps = (command: string) => 'PATH' in variables && command === WRAPPED
    return { variables, wraps, remove: () => removeFolder(dir) }
  } catch (error) {
    removeFolder(dir)
    throw new Error(`The folder of the run cannot be made: ${errorMessage(error)}`, { cause: error })
  }
}

function fillFolder(dir: string, target: RunTarget, parent: Environment): Record<string, string> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const home = parent.HOME ?? parent.USERPROFILE ?? homedir()
  const variables: Record<string, string> = {}
  for (const { variable, folder, files } of folderTools) {
    const made = join(dir, variable.toLowerCase())
    const byPath = new Map(files(target).map((file) => [posix.relative(folder, file.path), file]))
    mirror(parent[variable] ?? join(home, folder), made, '', byPath)
    variables[variable] = made
  }
  for (const { tool, variable, usual } of systemTools) {
    const path = join(dir, `${variable.toLowerCase()}.json`)
    const all = createFiles(tool, target).flatMap(({ changes }) => changes)
    const changes = all.filter(({ at }) => at[0] === 'security' || at[0] === 'model')
    writePrivate(path, withChanges(parent[variable] ?? usual, { syntax: 'json', changes }))
    variables[variable] = path
  }
  const path = wrapCodex(join(dir, 'bin'), target, parent)
  if (path !== null) variables.PATH = path
  return variables
}

/** It takes the gateway by arguments only, however deep in a script it is started. */
const WRAPPED = 'codex'

/** The PATH with a program that goes before the real one; null if there is none. Windows has no such scripts. */
function wrapCodex(dir: string, target: RunTarget, { PATH = '' }: Environment): string | null {
  const folders = process.platform === 'win32' ? [] : PATH.split(delimiter).filter((folder) => folder !== '')
  const real = folders.map((folder) => join(folder, WRAPPED)).find(isProgram)
  if (real === undefined) return null
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const words = [real, ...childArguments(real, [], target)].map(quoteWord).join(' ')
  writeFileSync(join(dir, WRAPPED), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o700 })
  return `${dir}${delimiter}${PATH}`
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** The longest time for which a run that was killed leaves its folder, in milliseconds; its key ends before, by default. */
const KEPT_MS = 48 * 3_600_000

function removeOld(all: string): void {
  for (const { name } of listFolder(all)) {
    const path = join(all, name)
    // Another run may be removing its folder.
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > KEPT_MS) removeFolder(path)
  }
}

function removeFolder(dir: string): void {
  try {
    removeLinks(dir)
    rmSync(dir, { recursive: true, force: true })
  } catch {
    // It is tried again by a later run; its key does not work any more.
  }
}

/** The links lead to the user's own files, which no removal of this folder may reach, as through junctions on Windows. */
function removeLinks(dir: string): void {
  for (const entry of listFolder(dir)) {
    const path = join(dir, entry.name)
    if (entry.isSymbolicLink()) unlinkSync(path)
    else if (entry.isDirectory()) removeLinks(path)
  }
}

/** Links to everything in `from`, with the files of the run in place of the user's own. `below`: the path so far. */
function mirror(from: string, to: string, below: string, files: ReadonlyMap<string, ConfigFile>): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const here = [...files].filter(([path]) => path.startsWith(below))
  const names = new Set(here.map(([path]) => path.slice(below.length).split('/')[0] ?? ''))
  for (const entry of listFolder(from)) if (!names.has(entry.name)) link(entry, from, to)
  for (const name of names) {
    const file = files.get(below + name)
    if (file) writePrivate(join(to, name), withChanges(join(from, name), file))
    else mirror(join(from, name), join(to, name), `${below}${name}/`, files)
  }
}

function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Windows links folders without further rights, but not files. */
function link(entry: Dirent, from: string, to: string): void {
  const [source, made] = [join(from, entry.name), join(to, entry.name)]
  if (process.platform !== 'win32') symlinkSync(source, made)
  else if (entry.isDirectory()) symlinkSync(source, made, 'junction')
  else copyFileSync(source, made)
}

/** The user's file with the changes, or a new one if there is none that can be changed. */
function withChanges(path: string, file: Pick<ConfigFile, 'syntax' | 'changes' | 'initial'>): string {
  const { syntax, changes, initial = {} } = file
  const members = Object.entries(initial).map(([name, value]) => ({ at: [name], value }))
  const userText = readText(path)
  try {
    if (userText !== null) return applyChanges(syntax, userText, changes).text
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
  }
  return applyChanges(syntax, '', [...members, ...changes]).text
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function writePrivate(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600 })
}
