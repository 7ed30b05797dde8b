import { ClipboardList, FileText, FolderOpen, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Account, GatewayInfo, Plan } from '../../../shared/api/account.ts'
import { LOG_FILE } from '../../../shared/desktop/log-file.ts'
import type { UpdateMode, UpdateState } from '../../../shared/desktop/updates.ts'
import { setUpdateMode } from '../../data/desktop-state.ts'
import { updateAccount } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { CopyIconButton } from '../../kit/copy.tsx'
import { Select } from '../../kit/select.tsx'
import { useTheme } from '../../kit/theme.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'
import { copyDiagnostics, revealDataDir, revealLog } from '../../parts/diagnostics/diagnostics.tsx'
import { Row, type SettingsData, SwitchRow, section } from '../../parts/settings/section.tsx'
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
