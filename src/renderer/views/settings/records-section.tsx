// Owns the settings of what is kept, for how long, and in which time zone a day is counted.
import { Settings } from '../../../shared/account.ts'
import { isTimeZone } from '../../../shared/calendar.ts'
import { Select } from '../../components/select.tsx'
import { Switch } from '../../components/switch.tsx'
import { useTimeZone } from '../../stores/account.ts'
import { useSettings } from '../../stores/settings.ts'
import { useSubmit } from '../../use-submit.ts'
import { DeleteBodies } from './delete-bodies.tsx'
import { SavedField } from './saved-field.tsx'
import { Row, Section } from './section.tsx'

const KEPT_DAYS = [7, 30, 90, 365]
const zones = Intl.supportedValuesOf('timeZone')

function readZone(text: string): { value: string | null } | string {
  if (text === '') return { value: null }
  return isTimeZone(text) ? { value: text } : 'Enter a time zone such as Europe/Paris.'
}

function readMegabytes(text: string): { value: number } | string {
  const read = Settings.shape.maxLogMb.safeParse(text === '' ? null : Number(text))
  return read.success ? { value: read.data } : 'Enter a whole number of megabytes, 16 or more.'
}

export function RecordsSection({ settings }: { settings: Settings }) {
  const updateSettings = useSettings((store) => store.updateSettings)
  const timeZone = useTimeZone()
  const retention = useSubmit()
  const bodies = useSubmit()
  const kept = settings.retentionDays
  const choices =
    kept === null || KEPT_DAYS.includes(kept) ? KEPT_DAYS : [...KEPT_DAYS, kept].toSorted((a, b) => a - b)
  return (
    <Section title="Records">
      <Row
        title="Keep requests for"
        text="Older requests are deleted. Their costs stay in the totals."
        error={retention.error}
      >
        <Select
          label="Keep requests for"
          className="w-44"
          value={kept === null ? 'all' : String(kept)}
          options={[
            ...choices.map((days) => ({ value: String(days), label: `${days} days` })),
            { value: 'all', label: 'For ever' },
          ]}
          onChange={(value) =>
            void retention.submit(() =>
              updateSettings({ retentionDays: value === 'all' ? null : Number(value) }),
            )
          }
        />
      </Row>
      <Row
        title="Largest size of the log"
        text="In megabytes. The oldest requests are removed while it takes more. What was spent stays counted."
      >
        <SavedField
          label="Largest size of the log"
          inputMode="numeric"
          stored={String(settings.maxLogMb)}
          read={readMegabytes}
          save={(maxLogMb) => updateSettings({ maxLogMb })}
        />
      </Row>
      <Row
        title="Store prompts and answers"
        text="Off: only counts, costs and times are kept. On: what you send and receive is written to the data folder, readable by anyone who can read your files."
        error={bodies.error}
      >
        <Switch
          label="Store prompts and answers"
          on={settings.storeBodies}
          onChange={(storeBodies) => void bodies.submit(() => updateSettings({ storeBodies }))}
        />
      </Row>
      <Row
        title="Stored prompts and answers"
        text="Turning the storing off keeps what is there. New backups hold none of it."
      >
        <DeleteBodies />
      </Row>
      <Row
        title="Time zone"
        text={`Days and months are counted in it. Blank follows the system${timeZone ? `; now ${timeZone}` : ''}.`}
      >
        <SavedField
          label="Time zone"
          placeholder="As the system"
          stored={settings.timeZone ?? ''}
          list={zones}
          read={readZone}
          save={(zone) => updateSettings({ timeZone: zone })}
        />
      </Row>
    </Section>
  )
}
