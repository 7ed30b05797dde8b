// When the app looks for updates, downloads and installs them, and what the window shows of it.
import { type FeedContent, UpdateError } from '../../host/updates/read-feed.ts'
import type { AvailableUpdate, UpdateMode, UpdateState } from '../../shared/desktop/updates.ts'
import { getMethod, type Installation, installCommand, type UpdateMethod } from './installation.ts'

/** After the start, which has more important things to do. */
const FIRST_CHECK_MS = 30_000
const CHECK_EVERY_MS = 24 * 3_600_000

export interface UpdateEngine {
  /** The verified feed if it has a newer version for this installation; null if it has none. Throws UpdateError. */
  check(): Promise<FeedContent | null>
  /** Downloads what `check` found, and verifies it. */
  download(onProgress: (bytes: number) => void): Promise<void>
  /** Installs it. The app must be about to exit. */
  install(restart: boolean): void
}

export interface UpdatesOptions {
  installation: Installation
  /** Whether the app has a public key to verify feeds with. */
  canVerify: boolean
  installedVersion: string
  /** The version that ran before, if it was another. */
  updatedFrom: string | null
  mode: UpdateMode
  saveMode(mode: UpdateMode): void
  /** Saves the result for `tollgate doctor`. */
  saveCheck(check: { at: string; version: string | null; problem: string | null }): void
  /** Loads the updater when it is first needed. */
  loadEngine(): Promise<UpdateEngine>
  pageUrl(version: string): string
  onChange(state: UpdateState): void
  log: { info(message: string): void; warn(message: string, fields?: { err: unknown }): void }
}

export interface Updates {
  state(): UpdateState
  setMode(mode: UpdateMode): UpdateState
  /** Looks for an update now. Its result is in the state. */
  check(): Promise<UpdateState>
  /** Starts the download of the update that was found. */
  download(): UpdateState
  /** Hides the notice of `updatedFrom`. */
  dismissNews(): UpdateState
  /** Shows that the app restarts once the running requests are finished. */
  markRestarting(): void
  /** Installs what was downloaded, if anything. The gateway must be closed, and the app about to exit. */
  installBeforeExit(restart: boolean): Promise<void>
  /** Looks for updates regularly, if the user wants that. Returns the function that ends it. */
  start(): () => void
}

export function createUpdates(options: UpdatesOptions): Updates {
  const { installation, onChange, log } = options
  let engine: Promise<UpdateEngine> | null = null
  // Read again when the window asks: the language is not known before the app is ready.
  const readMethod = () => (options.canVerify ? getMethod(installation) : describeNoKey())
  let state: UpdateState = {
    mode: options.mode,
    installedVersion: options.installedVersion,
    updatedFrom: options.updatedFrom,
    ...readMethod(),
    phase: 'idle',
    checkedAt: null,
    update: null,
    downloadedBytes: 0,
    problem: null,
  }
  const change = (part: Partial<UpdateState>): UpdateState => {
    state = { ...state, ...part }
    onChange(state)
    return state
  }
  const load = () => {
    engine ??= options.loadEngine()
    return engine
  }
  const fail = (err: unknown, phase: UpdateState['phase']) => {
    const problem = describeProblem(err)
    // An expected problem needs no stack.
    if (err instanceof UpdateError) log.warn(problem)
    else log.warn('The update failed', { err })
    return change({ phase, problem })
  }

  const check = async () => {
    if (state.method === 'none' || isBusy(state)) return state
    const previousPhase = state.phase
    change({ phase: 'checking', problem: null })
    try {
      const found = await (await load()).check()
      const checkedAt = new Date().toISOString()
      options.saveCheck({ at: checkedAt, version: found?.version ?? null, problem: null })
      if (found === null) return change({ phase: 'idle', checkedAt, update: null })
      change({ phase: 'available', checkedAt, update: describeUpdate(found, options, state.method) })
      return state.mode === 'download' ? download() : state
    } catch (err) {
      const problem = describeProblem(err)
      options.saveCheck({ at: new Date().toISOString(), version: state.update?.version ?? null, problem })
      return fail(err, previousPhase)
    }
  }
  const download = () => {
    if (state.method !== 'self' || state.phase !== 'available') return state
    const onProgress = (downloadedBytes: number) => change({ downloadedBytes })
    void load()
      .then((loaded) => loaded.download(onProgress))
      .then(
        () => change({ phase: 'ready' }),
        (err) => fail(err, 'available'),
      )
    return change({ phase: 'downloading', problem: null, downloadedBytes: 0 })
  }

  return {
    state() {
      state = { ...state, ...readMethod() }
      return state
    },
    check,
    download,
    setMode(mode) {
      options.saveMode(mode)
      change({ mode })
      return mode === 'download' ? download() : state
    },
    markRestarting: () => void change({ phase: 'restarting' }),
    dismissNews: () => change({ updatedFrom: null }),
    async installBeforeExit(restart) {
      if (state.phase !== 'ready' && state.phase !== 'restarting') return
      log.info(`Installing version ${state.update?.version}`)
      const loaded = await load()
      loaded.install(restart)
    },
    start() {
      const look = () => {
        if (state.mode !== 'off') void check()
      }
      const first = setTimeout(look, FIRST_CHECK_MS)
      const timer = setInterval(look, CHECK_EVERY_MS)
      return () => {
        clearTimeout(first)
        clearInterval(timer)
      }
    },
  }
}

function describeNoKey(): UpdateMethod {
  return { method: 'none', reason: 'This build has no key to verify updates with, so it looks for none.' }
}

/** Whether an action runs, which must end first, or an update is ready, which is not looked for again. */
function isBusy({ phase }: UpdateState): boolean {
  return phase !== 'idle' && phase !== 'available'
}

function describeUpdate(
  { version, releaseDate, releaseNotes, files }: FeedContent,
  { installation, pageUrl }: UpdatesOptions,
  method: UpdateState['method'],
): AvailableUpdate {
  const packageFile =
    files.find(({ url }) => url.endsWith(extensions[process.platform] ?? '.AppImage')) ?? files[0]
  return {
    version,
    releasedAt: releaseDate,
    notes: releaseNotes ?? '',
    bytes: method === 'self' ? (packageFile?.size ?? null) : null,
    pageUrl: pageUrl(version),
    command: installCommand(installation, version),
  }
}

const extensions: Partial<Record<NodeJS.Platform, string>> = { darwin: '.zip', win32: '.exe' }

/** An English sentence, for the log and `tollgate doctor` also. */
function describeProblem(thrown: unknown): string {
  if (thrown instanceof UpdateError) return thrown.message
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null
  if (code === 'ERR_CHECKSUM_MISMATCH')
    return 'The downloaded file is not the one that was released, so it was deleted. Try again.'
  if (code === 'ENOSPC') return 'There is no space left on the disk for the download.'
  return 'The update could not be downloaded. Check the network, and try again; the log has the details.'
}
