import { ClipboardList, FileText, FolderOpen, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { t } from 'ttag'
import { Link } from 'wouter'
import type { Account, GatewayInfo, Plan } from '../../../shared/api/account.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import type { UpdateMode, UpdateState } from '../../../shared/desktop/updates.ts'
import { dayName } from '../../../shared/values/calendar.ts'
import {
  findLanguage,
  LANGUAGES,
  type LanguageChoice,
  localizeNumber,
} from '../../../shared/values/locale.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { throwDesktopError, updateAccount } from '../../data/mutations.ts'
import { setUpdateMode } from '../../data/updates.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { formatDay } from '../../kit/format.ts'
import { chooseLanguage, getSystemLocale, readLanguageChoice } from '../../kit/language.ts'
import { parseUsd } from '../../kit/number-input.ts'
import { jt } from '../../kit/rich-text.ts'
import { CURRENCIES, useSecondCurrency } from '../../kit/second-currency.tsx'
import { Select } from '../../kit/select.tsx'
import { useTheme } from '../../kit/theme.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { copyDiagnostics } from '../../parts/diagnostics/copy-diagnostics.ts'
import { revealDataDir, revealLog } from '../../parts/diagnostics/reveal.ts'
import { Backups } from './backups.tsx'
import { ChecksRow, CrashesRow } from './diagnostics-rows.tsx'
import { SavedField } from './saved-field.tsx'
import { Row, type SettingsData, SwitchRow, section } from './section.tsx'
import { UpdateRow } from './update-row.tsx'

const LINK = 'font-medium text-accent-ink hover:underline'

const credentialLocations: Record<GatewayInfo['credentials'], string> = {
  keychain: t`In the keychain of this computer, never in a file.`,
  memory: t`In memory only. They are lost when the gateway stops.`,
  env: t`In environment variables of the gateway process.`,
}

export const appSections = [
  section(t`Appearance`, (data) => data, [
    { name: t`Theme`, keywords: t`dark light system colour color mode`, render: () => <ThemeRow /> },
    { name: t`Language`, keywords: t`english german translation locale`, render: () => <LanguageRow /> },
    { name: t`Height of rows`, keywords: t`density compact dense list table`, render: () => <DensityRow /> },
    { name: t`Second currency`, keywords: t`euro eur money exchange rate`, render: () => <CurrencyRow /> },
  ]),
  section(t`Backup and restore`, (data) => data, [
    {
      name: t`Backups`,
      keywords: t`copy restore database export recover`,
      render: ({ info }) => <Backups credentials={info?.credentials ?? null} />,
    },
  ]),
  section(t`Updates`, (data) => (data.updates === undefined ? null : data), [
    {
      name: t`New version`,
      keywords: t`update upgrade release check download restart`,
      render: ({ updates, info }) =>
        updates ? (
          <UpdateRow state={updates} />
        ) : (
          <Row text={t`This gateway runs without a window, and is updated in the way it was installed.`}>
            <span className="text-ink-2">{info?.version ?? t`unknown`}</span>
          </Row>
        ),
    },
    {
      name: t`Look for updates`,
      keywords: t`automatic auto update off github signature`,
      desktopOnly: true,
      render: ({ updates }) =>
        updates && updates.method !== 'none' ? <UpdateModeRow state={updates} /> : null,
    },
    {
      name: t`Backup before an update`,
      keywords: t`migration database downgrade`,
      render: () => (
        <Row
          text={t`If a new version changes the database, it first makes a backup, to which you can return.`}
        >
          <a href="#backup-and-restore" className={LINK}>{t`Show backups`}</a>
        </Row>
      ),
    },
  ]),
  section(t`Diagnostics`, (data) => data, [
    {
      name: t`Checks`,
      keywords: t`doctor health port keychain disk clock database providers test problem`,
      render: () => <ChecksRow />,
    },
    {
      name: t`Crash reports`,
      keywords: t`error hang crashed minidump`,
      desktopOnly: true,
      render: () => <CrashesRow />,
    },
    {
      name: t`Diagnostics for a bug report`,
      keywords: t`copy support issue`,
      render: () => (
        <Row text={t`Version and status details. Contains no keys, credentials, names or prompts.`}>
          <Button icon={ClipboardList} onClick={() => void copyDiagnostics()}>{t`Copy diagnostics`}</Button>
        </Row>
      ),
    },
  ]),
  section(t`Advanced`, ({ account, plans }) => account && findDiscount(account, plans), [
    {
      name: t`Negotiated discount`,
      keywords: t`plan bundle percent off list price fee account`,
      render: ({ on, percent }) => (
        <SwitchRow
          text={t`For an agreement with your providers: records every new request ${percent}% below list price. A monthly fee is not recorded.`}
          on={on}
          save={(next) => updateAccount({ plan: next ? 'bundle' : 'pay-as-you-go' })}
          below={
            on ? (
              <p className="mt-2 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
                <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
                {t`Recorded costs are ${percent}% below list price. Turn this on only if your provider bills you that way.`}
              </p>
            ) : null
          }
        />
      ),
    },
  ]),
  section(t`About`, (data) => data, [
    {
      name: t`Data folder`,
      keywords: t`path location files database directory`,
      render: (data) => <PathRow data={data} />,
    },
    {
      name: t`Log`,
      keywords: t`file path errors debug`,
      render: (data) => <PathRow data={data} file={LOG_FILE} />,
    },
    {
      name: t`Provider credentials`,
      keywords: t`keychain api key secret stored`,
      render: ({ info }) => (info ? <Row text={credentialLocations[info.credentials]} /> : null),
    },
    {
      name: t`Version`,
      keywords: t`release update running since`,
      render: ({ info, desktop }) => (
        <Row
          text={
            info
              ? jt`Running since ${<RelativeTime iso={info.startedAt} />}`
              : t`The gateway did not respond.`
          }
        >
          <span className="text-ink-2">{info?.version ?? desktop?.version ?? t`unknown`}</span>
        </Row>
      ),
    },
    {
      name: t`Licenses`,
      keywords: t`license licence open source mit copyright third party packages`,
      render: () => (
        <Row text={t`Tollgate is free software under the MIT License, and contains packages by others.`}>
          <Link href="/help/licenses" className={LINK}>{t`Show all`}</Link>
        </Row>
      ),
    },
  ]),
]

function ThemeRow() {
  const { theme, setTheme } = useTheme()
  return (
    <Row text={t`Light, dark or match system.`}>
      <Select
        label={t`Theme`}
        className="w-52"
        value={theme}
        options={[
          { value: 'system', label: t`System` },
          { value: 'light', label: t`Light` },
          { value: 'dark', label: t`Dark` },
        ]}
        onChange={setTheme}
      />
    </Row>
  )
}

function LanguageRow() {
  const { error, submit } = useSubmit()
  const system = LANGUAGES[findLanguage(getSystemLocale())]
  return (
    <Row
      error={error}
      text={t`The texts of this window. Messages of the gateway, the command line and the documentation are in English.`}
    >
      <Select
        label={t`Language`}
        className="w-52"
        value={readLanguageChoice()}
        options={[
          { value: 'system', label: t`System (${system})` },
          ...Object.entries(LANGUAGES).map(([value, label]) => ({ value: value as LanguageChoice, label })),
        ]}
        onChange={(choice) => void submit(() => chooseLanguage(choice).catch(throwDesktopError))}
      />
    </Row>
  )
}

function DensityRow() {
  const { density, setDensity } = useTheme()
  return (
    <Row text={t`Compact rows show a fifth more of the log and of other lists.`}>
      <Select
        label={t`Height of rows`}
        className="w-52"
        value={density}
        options={[
          { value: 'comfortable', label: t`Comfortable` },
          { value: 'compact', label: t`Compact` },
        ]}
        onChange={setDensity}
      />
    </Row>
  )
}

const UPDATE_MODES: readonly { value: UpdateMode; label: string; hint: string }[] = [
  { value: 'ask', label: t`Ask before downloading`, hint: t`Looks for a new version once a day.` },
  { value: 'download', label: t`Download automatically`, hint: t`Installs it when you quit or restart.` },
  { value: 'off', label: t`Off`, hint: t`Looks only when you choose Check now.` },
]

function UpdateModeRow({ state: { method, mode } }: { state: UpdateState }) {
  const { error, submit } = useSubmit()
  return (
    <Row
      text={t`Reads the list of versions from GitHub, which sees only your IP address. Its signature is verified.`}
      error={error}
    >
      <Select
        label={t`Look for updates`}
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
          {file ? t`Reveal log` : t`Reveal`}
        </Button>
      ) : (
        <CopyIconButton
          text={file ? `${dir}/${file}` : dir}
          label={file ? t`Copy log path` : t`Copy data folder`}
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
          ? t`Shown next to USD at the rate of ${formatDay(second.asOf, now, 'UTC')}. Caps and exports stay in USD.`
          : t`Shows amounts in a second currency, too, at a rate that you type in. Caps and exports stay in USD.`
      }
    >
      <Select
        label={t`Second currency`}
        value={code}
        options={[{ value: NONE, label: t`None` }, ...CURRENCIES.map((value) => ({ value, label: value }))]}
        onChange={(next) => {
          setCode(next)
          choose(null)
        }}
      />
      {code === NONE ? null : (
        <SavedField
          key={code}
          label={t`${code} for 1 USD`}
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
  if (!amount.ok || amount.usd === null || amount.usd <= 0) return t`Enter a rate such as 0.92.`
  return { value: amount.usd }
}
