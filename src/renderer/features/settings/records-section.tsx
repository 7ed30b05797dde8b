import { Settings } from '../../../shared/api/account.ts'
import { isTimeZone } from '../../../shared/values/calendar.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { updateSettings } from '../../data/mutations.ts'
import { saveWithUndo } from '../../data/save-with-undo.ts'
import { Select } from '../../kit/select.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { DeleteBodies } from './delete-bodies.tsx'
import { SavedField } from './saved-field.tsx'
import { Row, Section, SwitchRow } from './section.tsx'
import { StoreBodies } from './store-bodies.tsx'

const RETENTION_DAYS = [7, 30, 90, 365]
const zones = Intl.supportedValuesOf('timeZone')

function parseTimeZone(text: string): { value: string | null } | string {
  if (text === '') return { value: null }
  return isTimeZone(text) ? { value: text } : 'Enter a time zone such as Europe/Paris.'
}

function parseMegabytes(text: string): { value: number } | string {
  const read = Settings.shape.maxLogMb.safeParse(text === '' ? null : Number(text))
  return read.success ? { value: read.data } : 'Enter a whole number of megabytes, 16 or more.'
}

export function RecordsSection({ settings }: { settings: Settings }) {
  const timeZone = useTimeZone()
  const retention = useSubmit()
  const retentionDays = settings.retentionDays
  const choices =
    retentionDays === null || RETENTION_DAYS.includes(retentionDays)
      ? RETENTION_DAYS
      : [...RETENTION_DAYS, retentionDays].toSorted((a, b) => a - b)
  return (
    <Section title="Records">
      <Row
        title="Keep requests for"
        text="Older requests are deleted. Their costs stay in the totals."
        error={retention.error}
      >
        <Select
          label="Keep requests for"
          className="w-52"
          value={retentionDays === null ? 'all' : String(retentionDays)}
          options={[
            ...choices.map((days) => ({ value: String(days), label: `${days} days` })),
            { value: 'all', label: 'Forever' },
          ]}
          onChange={(value) =>
            void retention.submit(() =>
              saveWithUndo({
                message:
                  value === 'all'
                    ? 'Requests are kept forever.'
                    : `Requests older than ${value} days will be deleted.`,
                save: () => updateSettings({ retentionDays: value === 'all' ? null : Number(value) }),
                undo: () => updateSettings({ retentionDays }),
              }),
            )
          }
        />
      </Row>
      <Row
        title="Maximum request log size"
        text="In megabytes. When it is larger, the oldest requests are deleted. Their costs stay in the totals."
      >
        <SavedField
          label="Maximum request log size"
          inputMode="numeric"
          stored={String(settings.maxLogMb)}
          parse={parseMegabytes}
          save={(maxLogMb) => updateSettings({ maxLogMb })}
        />
      </Row>
      <SwitchRow
        title="Record requests before sending them"
        text="Off: a request is recorded while it is sent, and a power cut can lose the record of one that was not answered yet. On: nothing is sent before it is recorded, which takes slightly longer."
        on={settings.durability === 'strict'}
        save={(on) => updateSettings({ durability: on ? 'strict' : 'standard' })}
      />
      <StoreBodies settings={settings} />
      <Row
        title="Stored prompts and answers"
        text="Turning off storage does not delete what is already stored. New backups do not include it."
      >
        <DeleteBodies />
      </Row>
      <Row
        title="Time zone"
        text={`Used for days and months${timeZone ? `, currently ${timeZone}` : ''}. Leave blank for the system time zone.`}
      >
        <SavedField
          label="Time zone"
          placeholder="System time zone"
          stored={settings.timeZone ?? ''}
          list={zones}
          parse={parseTimeZone}
          save={(zone) => updateSettings({ timeZone: zone })}
        />
      </Row>
    </Section>
  )
}
