// The files of a run: programs that go before the real ones on PATH, and configuration folders for tools that read no
// variables. All of it is in one folder of the data folder, readable by the user only, and removed with the run.
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
import { UnreadableFileError } from '../../tool-setup/editor.ts'
import { childArguments } from './arguments.ts'
import { createFile, inputFor, needsModel, type RunTarget } from './environment.ts'

type Environment = Readonly<Record<string, string | undefined>>

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
  files(target: RunTarget): readonly Pick<ConfigFile, 'path' | 'syntax' | 'changes' | 'initial'>[]
}

const folderTools: readonly FolderTool[] = [
  // Sources: the tools' own code (`core/util/paths.ts`, `getAgentDir`, `GlobalConfig`, `CLINE_DIR`).
  {
    variable: 'CONTINUE_GLOBAL_DIR',
    folder: '.continue',
    files: (target) => createFiles('continue', target, '.continue/config.yaml'),
  },
  {
    variable: 'PI_CODING_AGENT_DIR',
    folder: '.pi/agent',
    files: (target) => createFiles('pi', target, '.pi/agent/models.json', '.pi/agent/settings.json'),
  },
  {
    variable: 'CRUSH_GLOBAL_CONFIG',
    folder: '.config/crush',
    files: (target) => createFiles('crush', target, '.config/crush/crush.json'),
  },
  { variable: 'CLINE_DIR', folder: '.cline', files: clineFiles },
]

function createFiles(tool: string, target: RunTarget, ...paths: string[]): ConfigFile[] {
  return paths.map((path) => createFile(tool, inputFor(tool, target), path))
}

/** The files as `cline auth -p openai-compatible` writes them. */
function clineFiles(target: RunTarget): ReturnType<FolderTool['files']> {
  const { baseUrl, secret, model } = inputFor('cline', target)
  const settings = { provider: 'openai-compatible', apiKey: secret, model, baseUrl }
  return [
    {
      path: '.cline/data/settings/providers.json',
      syntax: 'json',
      initial: { version: 1, modes: {} },
      changes: [
        { at: ['lastUsedProvider'], value: 'openai-compatible' },
        { at: ['providers', 'openai-compatible', 'settings'], value: settings },
        { at: ['providers', 'openai-compatible', 'tokenSource'], value: 'manual' },
        { at: ['providers', 'openai-compatible', 'updatedAt'], value: new Date().toISOString() },
      ],
    },
  ]
}

/** Settings of a computer that win over those of a user and of a project, for tools whose sign-in no variable chooses. */
interface SystemTool {
  id: string
  variable: string
  /** Where the computer's own ones are. */
  usual: string
  signIn: string
}

const systemTools: readonly SystemTool[] = [
  {
    id: 'gemini',
    variable: 'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
    usual: '/etc/gemini-cli/settings.json',
    signIn: 'gemini-api-key',
  },
  {
    id: 'qwen',
    variable: 'QWEN_CODE_SYSTEM_SETTINGS_PATH',
    usual: '/etc/qwen-code/settings.json',
    signIn: 'openai',
  },
]

/** Creates the folder, or nothing. What cannot be read of a tool's own files is left out. */
export function createRunFolder(target: RunTarget, parent: Environment): RunFolder {
  const all = join(target.dataDir, 'runs')
  removeOld(all)
  const dir = join(all, target.keyId)
  try {
    return { ...fillFolder(dir, target, parent), remove: () => removeFolder(dir) }
  } catch (error) {
    removeFolder(dir)
    throw new Error(`The folder of the run cannot be made: ${errorMessage(error)}`, { cause: error })
  }
}

function fillFolder(dir: string, target: RunTarget, parent: Environment): Omit<RunFolder, 'remove'> {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const variables: Record<string, string> = {}
  for (const tool of folderTools) {
    const userFolder = parent[tool.variable] ?? join(findHome(parent), tool.folder)
    const made = join(dir, tool.variable.toLowerCase())
    const files = new Map(tool.files(target).map((file) => [posix.relative(tool.folder, file.path), file]))
    mirror(userFolder, made, '', files)
    variables[tool.variable] = made
  }
  for (const { id, variable, usual, signIn } of systemTools) {
    const path = join(dir, `${variable.toLowerCase()}.json`)
    const model = needsModel(id, target) ? inputFor(id, target).model : null
    const changes = [
      { at: ['security', 'auth', 'selectedType'], value: signIn },
      ...(model === null ? [] : [{ at: ['model', 'name'], value: model }]),
    ]
    writePrivate(path, changed(parent[variable] ?? usual, { syntax: 'json', changes }))
    variables[variable] = path
  }
  const programs = writePrograms(join(dir, 'bin'), target, parent)
  if (programs !== null) variables.PATH = programs
  return {
    variables,
    wraps: (command) => programs !== null && WRAPPED.includes(command),
  }
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

function findHome({ HOME, USERPROFILE }: Environment): string {
  return HOME ?? USERPROFILE ?? homedir()
}

type Files = ReadonlyMap<string, Pick<ConfigFile, 'syntax' | 'changes' | 'initial'>>

/** Links to everything in `from`, with the files of the run in place of the user's own. `below`: the path so far. */
function mirror(from: string, to: string, below: string, files: Files): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const here = [...files].filter(([path]) => path.startsWith(below))
  const names = new Set(here.map(([path]) => path.slice(below.length).split('/')[0] ?? ''))
  for (const entry of listFolder(from)) if (!names.has(entry.name)) link(entry, from, to)
  for (const name of names) {
    const file = files.get(below + name)
    if (file) writePrivate(join(to, name), changed(join(from, name), file))
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
function changed(
  path: string,
  { syntax, changes, initial = {} }: Pick<ConfigFile, 'syntax' | 'changes' | 'initial'>,
): string {
  const ofNew = Object.entries(initial).map(([name, value]) => ({ at: [name], value }))
  const userText = readText(path)
  try {
    if (userText !== null) return applyChanges(syntax, userText, changes).text
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
  }
  return applyChanges(syntax, '', [...ofNew, ...changes]).text
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

/** Programs that find the gateway by arguments only, however deep in a script they are started. */
const WRAPPED = ['codex']

/** The PATH with the programs of the run; null if there is none to put before a real one. Windows has no such scripts. */
function writePrograms(dir: string, target: RunTarget, { PATH = '' }: Environment): string | null {
  if (process.platform === 'win32') return null
  const wrappers = WRAPPED.flatMap((name) => {
    const real = findProgram(name, PATH)
    return real === null ? [] : [{ name, real }]
  })
  if (wrappers.length === 0) return null
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const { name, real } of wrappers) {
    const words = [real, ...childArguments(real, [], target)].map(quote).join(' ')
    writeFileSync(join(dir, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o700 })
  }
  return `${dir}${delimiter}${PATH}`
}

function findProgram(name: string, path: string): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** A word of a shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
