import { toast } from 'sonner'
import type { Account, GatewayInfo, Settings } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { storesBodies } from '../../../shared/api/terms.ts'
import type { Usage } from '../../../shared/api/usage.ts'
import { type CrashReport, formatCrash } from '../../../shared/desktop/crashes.ts'
import type { DesktopState } from '../../../shared/desktop/desktop.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import { errorMessage } from '../../../shared/values/text.ts'
import { deleteCrash } from '../../data/desktop-state.ts'
import { selectEnabled } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { type Query, queryClient } from '../../data/query-client.ts'
import { emptyUsage } from '../../data/usage.ts'
import { Button } from '../../kit/button.tsx'
import { useConnection } from '../../kit/connection.ts'
import { CopyButton, copyText } from '../../kit/copy.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { showError } from '../../kit/show-error.ts'
import { useSubmit } from '../../kit/use-submit.ts'

export function CrashDialog({ report, onClose }: { report: CrashReport; onClose: () => void }) {
  const { error, pending, submit } = useSubmit()
  const text = formatCrash(report)
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Crash report"
      description="It is only on this computer, and has no keys, credentials, prompts or answers. To report the crash, copy it into an issue."
    >
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what scrolls
        tabIndex={0}
        className="max-h-80 overflow-auto whitespace-pre-wrap rounded-lg bg-sunken p-3 font-mono text-ink text-sm"
      >
        {text}
      </pre>
      <DialogActions
        above={
          error ? (
            <p role="alert" className="text-bad">
              {error.message}
            </p>
          ) : undefined
        }
      >
        <Button pending={pending} onClick={() => void submit(() => deleteCrash(report.id), onClose)}>
          Delete report
        </Button>
        <CopyButton primary text={text} label="Copy report" />
      </DialogActions>
    </Dialog>
  )
}

/** Copies what the window knows now, also while the gateway cannot be reached. */
export async function copyDiagnostics(): Promise<void> {
  const { state, outage } = useConnection.getState()
  const text = formatDiagnostics({
    info: cached(queries.gateway) ?? null,
    desktop: cached(queries.desktop) ?? null,
    link: outage === null ? state : `${state}: ${outage.message}`,
    engine: navigator.userAgent,
    account: cached(queries.account) ?? null,
    settings: cached(queries.settings) ?? null,
    keys: cached(queries.keys) ?? [],
    providers: cached(queries.providers) ?? [],
    models: selectEnabled(cached(queries.models) ?? []),
    usage: (cached(queries.usage) ?? emptyUsage).total,
    nowMs: Date.now(),
  })
  if (await copyText(text)) toast.success('Diagnostics copied.')
}

function cached<T>({ queryKey }: Query<T>): T | undefined {
  return queryClient.getQueryData<T>(queryKey)
}

export interface DiagnosticsInput {
  info: GatewayInfo | null
  /** Null in a browser. */
  desktop: DesktopState | null
  /** The user agent. */
  engine: string
  link: string
  account: Account | null
  settings: Settings | null
  keys: readonly KeyMetadata[]
  providers: readonly ProviderRecord[]
  models: readonly ModelRecord[]
  usage: Usage['total']
  nowMs: number
}

/**
 * Lines of `name: value` for a bug report, without keys, credentials, prompts and names. A custom provider is described by
 * its format only, because its name and URL may identify the user.
 */
export function formatDiagnostics(input: DiagnosticsInput): string {
  const { info, desktop, account, settings, keys, providers, models, usage } = input
  const configured = providers.filter((provider) => provider.configured)
  const lines: [string, string | number | null | undefined][] = [
    ['Tollgate', info?.version ?? desktop?.version ?? 'unknown'],
    ['created at', new Date(input.nowMs).toISOString()],
    ['running since', info?.startedAt],
    ['window', desktop ? `desktop on ${desktop.platform}` : 'browser'],
    ['engine', input.engine],
    ['live events', input.link],
    ['base URL', desktop ? desktop.baseUrl : info?.baseUrl],
    ['not listening because', desktop?.listenError],
    ['log', `${LOG_FILE} in the data folder`],
    ['container access', info ? (info.containers.problem ?? (info.containers.enabled ? 'on' : 'off')) : null],
    ['credentials in', info?.credentials],
    ['time zone', account?.timeZone],
    ['negotiated discount', account && (account.plan === 'bundle' ? 'on' : 'off')],
    ['monthly limit', account ? (account.monthlyLimitUsd === null ? 'none' : 'set') : null],
    ['keys', `${keys.filter(({ revokedAt }) => revokedAt === null).length} active, ${keys.length} in total`],
    ['keys with a cap', keys.filter(({ spendLimitUsd }) => spendLimitUsd !== null).length],
    [
      'models',
      `${models.length}, ${models.filter(({ pricing }) => pricing === null).length} without a price`,
    ],
    ['requests in 30 days', usage.requests],
    ['prompts stored', settings ? (storesBodies(settings, Date.now()) ? 'yes' : 'no') : null],
    ['requests kept', settings ? (settings.retentionDays ?? 'forever') : null],
    ['allowed origins', settings?.allowedOrigins.length],
    ...configured.map((provider): [string, string] => [
      describeProvider(provider),
      `${provider.health.state}, ${provider.modelCount} models`,
    ]),
  ]
  return lines
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function describeProvider({ id, apiFormat, consoleUrl, local }: ProviderRecord): string {
  if (consoleUrl !== null || apiFormat === 'sandbox') return `provider ${id}`
  return local ? 'a server on this computer' : `another server (${apiFormat} format)`
}

/** Opens the folder of the log in the file manager. Does nothing in a browser. */
export const revealLog = () => report(window.desktop?.revealLog())

/** Opens the data folder in the file manager. Does nothing in a browser. */
export const revealDataDir = () => report(window.desktop?.revealDataDir())

/** Quits the app and starts it again. Does nothing in a browser. */
export const restartApp = () => report(window.desktop?.relaunch())

async function report(action: Promise<unknown> | undefined): Promise<void> {
  try {
    await action
  } catch (thrown) {
    showError(errorMessage(thrown))
  }
}
