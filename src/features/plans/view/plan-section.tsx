import { updateSettings } from '../../../renderer/data/mutations.ts'
import { parsePercents } from '../../../renderer/kit/number-input.ts'
import { FieldRow, SwitchRow, section } from '../../../renderer/parts/settings/section.tsx'

export const planSection = section('Plans', ({ settings }) => settings, [
  {
    name: 'Plan only',
    keywords: 'claude chatgpt subscription extra usage overage window max pro',
    render: ({ planOnly }) => (
      <SwitchRow
        text="Refuses requests of Claude Code and Codex that their plan no longer covers and that would be charged as extra usage."
        on={planOnly}
        save={(on) => updateSettings({ planOnly: on })}
      />
    ),
  },
  {
    name: 'Plan overflow',
    keywords: 'claude chatgpt subscription used up api key window max pro',
    render: ({ planOverflow }) => (
      <SwitchRow
        text="Bills a session by API key that begins while its plan is used up, if a limit in USD covers it. A session that has begun is never moved."
        on={planOverflow}
        save={(on) => updateSettings({ planOverflow: on })}
      />
    ),
  },
  {
    name: 'Plan alerts',
    keywords: 'claude chatgpt subscription window notify percent',
    render: ({ planNotifyAtPercent: percents }) => (
      <FieldRow
        text="Percentages of a window of a plan at which you get an alert, such as 80, 95."
        placeholder="None"
        inputMode="numeric"
        stored={percents.join(', ')}
        parse={parsePercents}
        save={(planNotifyAtPercent) => updateSettings({ planNotifyAtPercent })}
      />
    ),
  },
  {
    name: 'Before a plan resets',
    keywords: 'claude chatgpt subscription window notify minutes left unused',
    render: ({ planResetNoticeMinutes: minutes }) => (
      <FieldRow<number | null>
        text="How many minutes before a window of a plan resets you get an alert that says how much of it is used."
        placeholder="Off"
        inputMode="numeric"
        stored={minutes === null ? '' : String(minutes)}
        parse={parseMinutes}
        save={(planResetNoticeMinutes) => updateSettings({ planResetNoticeMinutes })}
      />
    ),
  },
])

const DAY_MINUTES = 1_440

function parseMinutes(text: string): { value: number | null } | string {
  if (text.trim() === '') return { value: null }
  const minutes = Number(text)
  const isValid = Number.isInteger(minutes) && minutes >= 1 && minutes <= DAY_MINUTES
  return isValid ? { value: minutes } : `Enter a whole number from 1 to ${DAY_MINUTES}.`
}
