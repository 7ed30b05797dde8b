import { useQuery } from '@tanstack/react-query'
import type { GatewayInfo } from '../../../shared/api/account.ts'
import type { UpdateMode, UpdateState } from '../../../shared/desktop/updates.ts'
import { setUpdateMode, updates } from '../../data/updates.ts'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { Row, Section } from './section.tsx'
import { UpdateRow } from './update-row.tsx'

const MODES: readonly { value: UpdateMode; label: string; hint: string }[] = [
  { value: 'ask', label: 'Ask before downloading', hint: 'Looks for a new version once a day.' },
  { value: 'download', label: 'Download automatically', hint: 'Installs it when you quit or restart.' },
  { value: 'off', label: 'Off', hint: 'Looks only when you choose Check now.' },
]

export function UpdatesSection({ info }: { info: GatewayInfo | null }) {
  const { data: state } = useQuery(updates)
  if (state === undefined) return null
  return (
    <Section title="Updates">
      {state === null ? <HeadlessVersion info={info} /> : <UpdateRow state={state} />}
      {state === null || state.method === 'none' ? null : <ModeRow state={state} />}
      <Row
        title="Backup before an update"
        text="If a new version changes the database, it first makes a backup, to which you can return."
      >
        <a href="#backup-and-restore" className="font-medium text-accent-ink hover:underline">
          Show backups
        </a>
      </Row>
    </Section>
  )
}

function ModeRow({ state }: { state: UpdateState }) {
  const { error, submit } = useSubmit()
  const options = state.method === 'self' ? MODES : MODES.filter(({ value }) => value !== 'download')
  return (
    <Row
      title="Look for updates"
      text="Reads the list of versions from GitHub, which sees only your IP address. Its signature is verified."
      error={error}
    >
      <Select
        label="Look for updates"
        value={state.mode}
        options={options}
        onChange={(mode) => void submit(() => setUpdateMode(mode))}
      />
    </Row>
  )
}

function HeadlessVersion({ info }: { info: GatewayInfo | null }) {
  return (
    <Row
      title="New version"
      text="This gateway runs without a window, and is updated in the way it was installed."
    >
      <span className="text-ink-2">{info?.version ?? 'unknown'}</span>
    </Row>
  )
}
