import { ClipboardList, FileText, FolderOpen, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Account, GatewayInfo, Plan } from '../../../shared/api/account.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import type { UpdateMode, UpdateState } from '../../../shared/desktop/updates.ts'
import { dayName } from '../../../shared/values/calendar.ts'
import { localizeNumber } from '../../../shared/values/locale.ts'
import { setUpdateMode } from '../../data/desktop-state.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { updateAccount } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatDay } from '../../kit/format.ts'
import { CURRENCIES, useSecondCurrency } from '../../kit/money.tsx'
import { parseUsd } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { useTheme } from '../../kit/theme.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { copyDiagnostics, revealDataDir, revealLog } from '../../parts/diagnostics/diagnostics.tsx'
import { Row, SavedField, type SettingsData, SwitchRow, section } from '../../parts/settings/section.tsx'
import { Backups } from './backups.tsx'
import { ChecksRow, CrashesRow } from './diagnostics-rows.tsx'
import { UpdateRow } from './update-row.tsx'

const LINK = 'font-medium text-accent-ink hover:underline'

const credentialLocations: Record<GatewayInfo['credentials'], string> = {
  keychain: 'In the keychain of this computer, never in a file.',
  memory: 'In memory only. They are lost when the gateway stops.',
  env: 'In environment variables of the gateway process.',
}

export const appSections = [
  section('Appearance', (data) => data, [
    { name: 'Theme', keywords: 'dark light system colour color mode', render: () => <ThemeRow /> },
    { name: 'Height of rows', keywords: 'density compact dense list table', render: () => <DensityRow /> },
    { name: 'Second currency', keywords: 'euro eur money exchange rate', render: () => <CurrencyRow /> },
  ]),
  section('Backup and restore', (data) => data, [
    {
      name: 'Backups',
      keywords: 'copy restore database export recover',
      render: ({ info }) => <Backups credentials={info?.credentials ?? null} />,
    },
  ]),
  section('Updates', (data) => (data.updates === undefined ? null : data), [
    {
      name: 'New version',
      keywords: 'update upgrade release check download restart',
      render: ({ updates, info }) =>
        updates ? (
          <UpdateRow state={updates} />
        ) : (
          <Row text="This gateway runs without a window, and is updated in the way it was installed.">
            <span className="text-ink-2">{info?.version ?? 'unknown'}</span>
          </Row>
        ),
    },
    {
      name: 'Look for updates',
      keywords: 'automatic auto update off github signature',
      desktopOnly: true,
      render: ({ updates }) =>
        updates && updates.method !== 'none' ? <UpdateModeRow state={updates} /> : null,
    },
    {
      name: 'Backup before an update',
      keywords: 'migration database downgrade',
      render: () => (
        <Row text="If a new version changes the database, it first makes a backup, to which you can return.">
          <a href="#backup-and-restore" className={LINK}>
            Show backups
          </a>
        </Row>
      ),
    },
  ]),
  section('Diagnostics', (data) => data, [
    {
      name: 'Checks',
      keywords: 'doctor health port keychain disk clock database providers test problem',
      render: () => <ChecksRow />,
    },
    {
      name: 'Crash reports',
      keywords: 'error crashed',
      desktopOnly: true,
      render: () => <CrashesRow />,
    },
    {
      name: 'Diagnostics for a bug report',
      keywords: 'copy support issue',
      render: () => (
        <Row text="Version and status details. Contains no keys, credentials, names or prompts.">
          <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>
            Copy diagnostics
          </Button>
        </Row>
      ),
    },
  ]),
  section('Advanced', ({ account, plans }) => account && findDiscount(account, plans), [
    {
      name: 'Negotiated discount',
      keywords: 'plan bundle percent off list price fee account',
      render: ({ on, percent }) => (
        <SwitchRow
          text={`For an agreement with your providers: records every new request ${percent}% below list price. A monthly fee is not recorded.`}
          on={on}
          save={(next) => updateAccount({ plan: next ? 'bundle' : 'pay-as-you-go' })}
          below={
            on ? (
              <p className="mt-2 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
                <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
                {`Recorded costs are ${percent}% below list price. Turn this on only if your provider bills you that way.`}
              </p>
            ) : null
          }
        />
      ),
    },
  ]),
  section('About', (data) => data, [
    {
      name: 'Data folder',
      keywords: 'path location files database directory',
      render: (data) => <PathRow data={data} />,
    },
    {
      name: 'Log',
      keywords: 'file path errors debug',
      render: (data) => <PathRow data={data} file={LOG_FILE} />,
    },
    {
      name: 'Provider credentials',
      keywords: 'keychain api key secret stored',
      render: ({ info }) => (info ? <Row text={credentialLocations[info.credentials]} /> : null),
    },
    {
      name: 'Version',
      keywords: 'release update running since',
      render: ({ info, desktop }) => (
        <Row
          text={
            info ? (
              <>
                Running since <RelativeTime iso={info.startedAt} />
              </>
            ) : (
              'The gateway did not respond.'
            )
          }
        >
          <span className="text-ink-2">{info?.version ?? desktop?.version ?? 'unknown'}</span>
        </Row>
      ),
    },
    {
      name: 'Licenses',
      keywords: 'license licence open source mit copyright third party packages',
      render: () => (
        <Row text="Tollgate is free software under the MIT License, and contains packages by others.">
          <Link href="/help/licenses" className={LINK}>
            Show all
          </Link>
        </Row>
      ),
    },
  ]),
]

function ThemeRow() {
  const { theme, setTheme } = useTheme()
  return (
    <Row text="Light, dark or match system.">
      <Select
        label="Theme"
        className="w-52"
        value={theme}
        options={[
          { value: 'system', label: 'System' },
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
        ]}
        onChange={setTheme}
      />
    </Row>
  )
}

function DensityRow() {
  const { density, setDensity } = useTheme()
  return (
    <Row text="Compact rows show a fifth more of the log and of other lists.">
      <Select
        label="Height of rows"
        className="w-52"
        value={density}
        options={[
          { value: 'comfortable', label: 'Comfortable' },
          { value: 'compact', label: 'Compact' },
        ]}
        onChange={setDensity}
      />
    </Row>
  )
}

const UPDATE_MODES: readonly { value: UpdateMode; label: string; hint: string }[] = [
  { value: 'ask', label: 'Ask before downloading', hint: 'Looks for a new version once a day.' },
  { value: 'download', label: 'Download automatically', hint: 'Installs it when you quit or restart.' },
  { value: 'off', label: 'Off', hint: 'Looks only when you choose Check now.' },
]

function UpdateModeRow({ state: { method, mode } }: { state: UpdateState }) {
  const { error, submit } = useSubmit()
  return (
    <Row
      text="Reads the list of versions from GitHub, which sees only your IP address. Its signature is verified."
      error={error}
    >
      <Select
        label="Look for updates"
        value={mode}
        options={UPDATE_MODES.filter(({ value }) => method === 'self' || value !== 'download')}
        onChange={(next) => void submit(() => setUpdateMode(next))}
      />
    </Row>
  )
}

/** The plan of the account decides whether costs are recorded at list price or at a discount. */
function findDiscount({ plan }: Account, plans: readonly Plan[]) {
  const percent = plans.find(({ id }) => id === 'bundle')?.discountPercent
  return percent === undefined ? null : { percent, on: plan === 'bundle' }
}

/** The data folder, or a file in it. */
function PathRow({ data, file }: { data: SettingsData; file?: string }) {
  const dir = data.info?.dataDir ?? data.desktop?.dataDir
  if (!dir) return null
  return (
    <Row text={<span className="break-all font-mono">{file ?? dir}</span>}>
      {data.desktop ? (
        <Button
          icon={file ? FileText : FolderOpen}
          onClick={() => void (file ? revealLog() : revealDataDir())}
        >
          {file ? 'Reveal log' : 'Reveal'}
        </Button>
      ) : (
        <CopyIconButton
          text={file ? `${dir}/${file}` : dir}
          label={file ? 'Copy log path' : 'Copy data folder'}
        />
      )}
    </Row>
  )
}

const NONE = 'none'

/** Sets the currency that amounts are also shown in. Its rate is typed in: nothing is fetched. */
function CurrencyRow() {
  const { second, choose } = useSecondCurrency()
  const [code, setCode] = useState(second?.code ?? NONE)
  const now = useNow()
  const zone = useTimeZone() ?? 'UTC'
  const isSet = second !== null && second.code === code
  return (
    <Row
      text={
        isSet
          ? `Shown next to USD at the rate of ${formatDay(second.asOf, now, 'UTC')}. Caps and exports stay in USD.`
          : 'Shows amounts in a second currency, too, at a rate that you type in. Caps and exports stay in USD.'
      }
    >
      <Select
        label="Second currency"
        value={code}
        options={[{ value: NONE, label: 'None' }, ...CURRENCIES.map((value) => ({ value, label: value }))]}
        onChange={(next) => {
          setCode(next)
          choose(null)
        }}
      />
      {code === NONE ? null : (
        <SavedField
          key={code}
          label={`${code} for 1 USD`}
          placeholder="0.00"
          inputMode="decimal"
          stored={isSet ? localizeNumber(String(second.rate)) : ''}
          parse={parseRate}
          save={async (rate) => choose({ code, rate, asOf: dayName(now, zone) })}
        />
      )}
    </Row>
  )
}

function parseRate(text: string): { value: number } | string {
  const amount = parseUsd(text)
  if (!amount.ok || amount.usd === null || amount.usd <= 0) return 'Enter a rate such as 0.92.'
  return { value: amount.usd }
}
