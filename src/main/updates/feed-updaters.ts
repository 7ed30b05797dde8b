// electron-updater with our own feed. Loaded when the app first looks for an update.
import {
  AppImageUpdater,
  type AppUpdater,
  BaseUpdater,
  MacUpdater,
  NsisUpdater,
  type ProgressInfo,
  Provider,
  type ResolvedUpdateFileInfo,
  type UpdateInfo,
} from 'electron-updater'
import type { ProviderRuntimeOptions } from 'electron-updater/out/providers/Provider.js'
import { channelFileName, type UpdateFeed } from '../../host/updates/feed.ts'
import { FeedContent, readFeed } from '../../host/updates/read-feed.ts'
import { replaceAppImage } from '../../host/updates/replace-app-image.ts'
import type { Installation } from './installation.ts'
import type { UpdateEngine } from './updates.ts'

export interface UpdaterOptions {
  installation: Installation
  feed: UpdateFeed
  fetch: (url: string, init: RequestInit) => Promise<Response>
  log: { info(message: string): void; warn(message: string): void }
  /** Only for tests, which have no Electron. */
  app?: ConstructorParameters<typeof AppImageUpdater>[1]
}

/** Reads only signed feeds, never goes back to an older version, and does nothing by itself. */
export function createUpdateEngine(options: UpdaterOptions): UpdateEngine {
  const { installation } = options
  const updater = createUpdater(options)
  return {
    async check() {
      const result = await updater.checkForUpdates()
      return result?.isUpdateAvailable ? FeedContent.parse(result.updateInfo) : null
    },
    async download(onProgress) {
      const report = ({ transferred }: ProgressInfo) => onProgress(transferred)
      updater.on('download-progress', report)
      try {
        await updater.downloadUpdate()
      } finally {
        updater.off('download-progress', report)
      }
    },
    install(restart) {
      // Squirrel for macOS installs at each exit; it is only asked to start the app again.
      if (installation.kind !== 'mac' || restart) updater.quitAndInstall(true, restart)
    },
  }
}

function createUpdater({ installation, feed, fetch, log, app }: UpdaterOptions): AppUpdater {
  const updater = createFor(installation, app)
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = installation.kind === 'mac'
  // An app that is not packaged is only asked if it has electron-updater's file for that (see desktop-updates.ts).
  updater.forceDevUpdateConfig = true
  updater.allowDowngrade = false
  updater.allowPrerelease = false
  // A rejected promise reports it, too; without a listener it would be thrown.
  updater.on('error', () => {})
  updater.logger = { info: (text) => log.info(String(text)), warn: warn(log), error: warn(log) }
  updater.setFeedURL({
    provider: 'custom',
    updateProvider: class extends SignedProvider {
      constructor(_options: unknown, _updater: unknown, runtime: ProviderRuntimeOptions) {
        super(runtime, feed, fetch)
      }
    },
  })
  return updater
}

function warn(log: UpdaterOptions['log']) {
  // The caller shows the error; its stack says nothing more.
  return (text: unknown) => log.warn(String(text).split('\n', 1)[0] ?? '')
}

function createFor(installation: Installation, app: UpdaterOptions['app']): AppUpdater {
  switch (installation.kind) {
    case 'app-image':
      return new ReplacingAppImageUpdater(installation.path, app)
    case 'mac':
      return new MacUpdater(undefined, app)
    case 'windows':
      return new NsisUpdater(null, app)
    default:
      return new NotifyOnlyUpdater(app)
  }
}

class SignedProvider extends Provider<UpdateInfo> {
  readonly #feed: UpdateFeed
  readonly #fetch: UpdaterOptions['fetch']

  constructor(runtime: ProviderRuntimeOptions, feed: UpdateFeed, fetch: UpdaterOptions['fetch']) {
    super(runtime)
    this.#feed = feed
    this.#fetch = fetch
  }

  getLatestVersion(): Promise<UpdateInfo> {
    return readFeed(this.#feed, channelFileName(process.platform, process.arch), this.#fetch)
  }

  resolveFiles({ files, version }: UpdateInfo): ResolvedUpdateFileInfo[] {
    const base = this.#feed.filesUrl(version)
    return files.map((info) => ({ url: new URL(info.url, base), info }))
  }

  /** Staged rollouts need a random number of this installation; the server does not. */
  override setRequestHeaders(): void {}
}

/** Replaces the file in one step and under its own name, which desktop entries and the start at login have. */
class ReplacingAppImageUpdater extends AppImageUpdater {
  readonly #path: string

  constructor(path: string, app: UpdaterOptions['app']) {
    super(null, app)
    this.#path = path
  }

  /** The app exits by itself, and Electron then starts the new file. */
  override quitAndInstall(): void {
    this.install(true, false)
  }

  protected override doInstall(): boolean {
    if (this.installerPath === null) return false
    replaceAppImage(this.#path, this.installerPath)
    return true
  }
}

/** Only looks for updates. */
class NotifyOnlyUpdater extends BaseUpdater {
  constructor(app: UpdaterOptions['app']) {
    super(null, app)
  }

  protected override doDownloadUpdate(): Promise<never> {
    throw new Error('A person updates this installation.')
  }

  protected override doInstall(): boolean {
    return false
  }
}
