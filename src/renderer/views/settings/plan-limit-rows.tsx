import type { Plan, PlanLimits, Settings } from '../../../shared/account.ts'
import { parseCount } from '../../number-input.ts'
import { updateSettings } from '../../server-state/mutations.ts'
import { queries } from '../../server-state/queries.ts'
import { refresh } from '../../server-state/query-client.ts'
import { SavedField } from './saved-field.tsx'
import { Row } from './section.tsx'

type Limit = 'requestsPerMinute' | 'tokensPerMinute'

function parseLimit(text: string): { value: number | null } | string {
  const count = parseCount(text)
  return count.ok ? { value: count.count } : count.message
}

export function PlanLimitRows({ plan, settings }: { plan: Plan; settings: Settings }) {
  const own = settings.planLimits[plan.id] ?? {}
  const save = (limit: Limit) => async (count: number | null) => {
    const { [limit]: _, ...others } = own
    const { [plan.id]: __, ...otherPlans } = settings.planLimits
    const limits = count === null ? others : { ...others, [limit]: count }
    const planLimits: PlanLimits =
      Object.keys(limits).length > 0 ? { ...otherPlans, [plan.id]: limits } : otherPlans
    await updateSettings({ planLimits })
    await refresh(queries.plans)
  }
  const row = (limit: Limit, title: string, text: string) => (
    <Row title={title} text={text}>
      <SavedField
        label={title}
        placeholder="Plan default"
        stored={own[limit] === undefined ? '' : String(own[limit])}
        parse={parseLimit}
        save={save(limit)}
      />
    </Row>
  )
  return (
    <>
      {row(
        'requestsPerMinute',
        'Requests per minute',
        'For all keys together. Leave blank for the plan’s limit.',
      )}
      {row(
        'tokensPerMinute',
        'Tokens per minute',
        'Input and output, without cached input, for all keys together. A key can have a lower limit.',
      )}
    </>
  )
}
