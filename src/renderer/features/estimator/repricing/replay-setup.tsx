import { useQuery } from '@tanstack/react-query'
import { Play, Square } from 'lucide-react'
import { OBSTACLES } from '../../../../shared/api/labels.ts'
import type { Repricing } from '../../../../shared/api/repricing.ts'
import { useChatModels } from '../../../data/hooks.ts'
import { queries } from '../../../data/queries.ts'
import { Button } from '../../../kit/button.tsx'
import { formatUsd } from '../../../kit/format.ts'
import { ModelPicker } from '../../../kit/model-picker.tsx'
import { Card } from '../../../kit/page.tsx'
import { Select } from '../../../kit/select.tsx'
import type { ReplayAddress } from '../../../parts/replay/replay-address.ts'

/** The value of the option for the playground's key. Contains spaces, so it can never be an id. */
const PLAYGROUND = ' playground '

interface ReplaySetupProps {
  address: ReplayAddress
  onChange: (part: Partial<ReplayAddress>) => void
  /** The cost of each chosen request with each model, as far as it has been read. */
  costs: readonly (Repricing | undefined)[]
  running: boolean
  /** Whether the answers are judged without knowing which model wrote them. */
  blind: boolean
  onBlind: (blind: boolean) => void
  onRun: () => void
  onStop: () => void
}

/** The two models, the key that pays, and what it will cost. */
export function ReplaySetup(props: ReplaySetupProps) {
  const { address, onChange, costs, running, blind, onBlind, onRun, onStop } = props
  const { models, keyId, requests } = address
  const chatModels = useChatModels()
  const { data: keys = [] } = useQuery(queries.keys)
  const payers = keys.filter(({ scope, revokedAt }) => scope !== 'read-only' && revokedAt === null)
  const count = requests.length
  const setModel = (column: 0 | 1, model: string) =>
    onChange({ models: column === 0 ? [model, models[1]] : [models[0], model] })
  const isReady = count > 0 && models.every((model) => model !== '')
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
        {([0, 1] as const).map((column) => (
          <ModelChoice
            key={column}
            name={column === 0 ? 'First model' : 'Second model'}
            model={models[column]}
            chatModels={chatModels}
            costs={costs}
            onChange={(model) => setModel(column, model)}
          />
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="text-ink-2 text-sm" id="replay-payer">
          Paid by
        </span>
        <Select
          small
          label="Key that pays"
          value={keyId ?? PLAYGROUND}
          options={[
            { value: PLAYGROUND, label: 'Playground' },
            ...payers
              .filter(({ purpose }) => purpose !== 'playground')
              .map(({ id, name, spendLimitUsd, spendUsd }) => ({
                value: id,
                label: name,
                hint:
                  spendLimitUsd === null
                    ? 'No cap'
                    : `${formatUsd(Math.max(0, spendLimitUsd - spendUsd))} left of ${formatUsd(spendLimitUsd)}`,
              })),
          ]}
          onChange={(value) => onChange({ keyId: value === PLAYGROUND ? null : value })}
          className="max-w-52"
        />
        <span className="text-ink-3 text-sm">Its caps and limits apply. Tools are sent but never run.</span>
        <label
          className="ml-auto flex items-center gap-1.5 text-sm"
          title="Hides which model wrote which answer"
        >
          <input
            type="checkbox"
            className="size-3.5 accent-accent"
            checked={blind}
            onChange={({ target }) => onBlind(target.checked)}
          />
          Judge blind
        </label>
        <div>
          {running ? (
            <Button icon={Square} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button variant="primary" icon={Play} disabled={!isReady} needsGateway onClick={onRun}>
              {count > 1 ? `Replay ${count} requests` : 'Replay'}
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

interface ModelChoiceProps {
  name: string
  model: string
  chatModels: ReturnType<typeof useChatModels>
  costs: readonly (Repricing | undefined)[]
  onChange: (model: string) => void
}

function ModelChoice({ name, model, chatModels, costs, onChange }: ModelChoiceProps) {
  const isRead = costs.length > 0 && costs.every((cost) => cost !== undefined)
  const cost = costOfReplay(model, costs)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="text-ink-3 text-xs">{name}</span>
      <ModelPicker label={name} models={chatModels} value={model} onChange={onChange} />
      <p className="min-h-[18px] text-ink-2 text-sm">
        {model !== '' && isRead ? describeReplayCost(cost, costs.length) : ''}
        {cost.obstacles.length > 0 && model !== '' ? (
          <span className="text-warn">{`. Some ${cost.obstacles.join(', or ')}.`}</span>
        ) : null}
      </p>
    </div>
  )
}

/** The likely cost of replaying requests on a model. */
interface ReplayCost {
  /** USD; without the requests whose cost is not known. */
  usd: number
  unknown: number
  /** Why the model may not be able to serve some of them. */
  obstacles: string[]
}

/** Nothing is in the cache of a provider, so the costs are those without a cache. */
function costOfReplay(model: string, requests: readonly (Repricing | undefined)[]): ReplayCost {
  const cost: ReplayCost = { usd: 0, unknown: 0, obstacles: [] }
  for (const repricing of requests) {
    const repriced = repricing?.data.find((row) => row.model === model)
    if (!repriced || repriced.served === 0) cost.unknown += 1
    else cost.usd += repriced.uncachedUsd
    for (const { reason } of repriced?.obstacles ?? []) {
      const text = OBSTACLES[reason]
      if (!cost.obstacles.includes(text)) cost.obstacles.push(text)
    }
  }
  return cost
}

function describeReplayCost({ usd, unknown }: ReplayCost, requests: number): string {
  if (unknown === requests) return 'Cost unknown'
  const amount = usd === 0 ? 'Likely free' : `Likely about ${formatUsd(usd)}`
  return unknown === 0 ? amount : `${amount}, and ${unknown} of unknown cost`
}
