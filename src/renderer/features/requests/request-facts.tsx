import { ReceiptText } from 'lucide-react'
import { type FormEvent, Fragment, type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { PromptFacts } from '../../../features/prompt-doctor/view/prompt-report.tsx'
import { RuleEffects } from '../../../features/rules/view/rule-effects.tsx'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { findSimilarId } from '../../../shared/values/similar-id.ts'
import { adviceFor } from '../../data/advice.ts'
import { useChatModels, useProviderNames, useTimeZone } from '../../data/hooks.ts'
import { putModel, releaseRequest } from '../../data/mutations.ts'
import type { FilterName } from '../../data/request-link.ts'
import { getRequestName } from '../../data/request-log.ts'
import { useSessionName } from '../../data/use-session-name.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { Fact, Facts } from '../../kit/facts.tsx'
import { formatMoment, formatTime, formatUsd, quoteName } from '../../kit/format.ts'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { HelpHint } from '../../parts/help/help-hint.tsx'
import { ErrorAction, useSolved } from '../../parts/limits/error-action.tsx'
import { Cost, Count, costStatusNames, formatCallCount, Status } from '../../parts/requests/status.tsx'
import { CompareButtons } from './compare-actions.tsx'
import { CostReceipt, SettleForm } from './cost-receipt.tsx'
import { Ending, RequestActions, RunningNow, StoredBodies } from './request-actions.tsx'
import { Attempts, Timeline } from './timeline.tsx'

export function RequestFacts({ record }: { record: RequestRecord }) {
  const providerNames = useProviderNames()
  const { status, attempts, error, prompt, rules, secrets } = record
  // No model has answered it, or not yet.
  const isAnswered = status !== 'rejected' && status !== 'running'
  return (
    <div className="flex flex-col gap-6">
      <Heading record={record} />
      {status === 'running' ? <RunningNow record={record} /> : null}
      {record.bodiesKept ? <RequestActions record={record} /> : null}
      {isAnswered ? <CompareButtons key={record.id} record={record} /> : null}
      {error ? <ErrorFacts record={record} error={error} /> : null}
      {secrets === null ? null : <Secrets secrets={secrets} />}
      {rules === null ? null : <RuleEffects effects={rules} />}
      <Section title="Cost" hint={<HelpHint of="cost" />}>
        <div className="flex flex-col gap-3">
          {record.costStatus === 'unsettled' ? <SettleForm record={record} /> : null}
          <HeldAmount record={record} />
          <CostReceipt record={record} />
          {status === 'running' ? null : (
            <Link
              href={`/receipts/${record.id}`}
              className="flex items-center gap-1.5 self-start text-accent-ink hover:underline"
            >
              <ReceiptText size={13} aria-hidden />
              Receipt
            </Link>
          )}
        </div>
      </Section>
      {isAnswered ? (
        <Section title="Time">
          <Timeline record={record} />
        </Section>
      ) : null}
      {attempts.length > 0 ? (
        <Section title={attempts.length === 1 ? 'Attempt' : `${attempts.length} attempts`}>
          <Attempts attempts={attempts} providerNames={providerNames} />
        </Section>
      ) : null}
      {prompt === null ? null : (
        <Section title="Prompt, allocated by size">
          <PromptFacts prompt={prompt} />
        </Section>
      )}
      <Section title="Details">
        <Details record={record} />
      </Section>
    </div>
  )
}

/** The model, the state and the cost. */
function Heading({ record }: { record: RequestRecord }) {
  const { model, requestedModel, status, costStatus } = record
  const name = getRequestName(record)
  const isCharged = costStatus !== 'cached' && (costStatus !== 'plan' || record.worthUsd === null)
  return (
    <div>
      <p className="break-words font-semibold text-lg">
        {model === null ? (
          name
        ) : (
          <Link href={`/models?edit=${encodeURIComponent(model)}`} className="hover:underline">
            {name}
          </Link>
        )}
      </p>
      {model !== null && model !== requestedModel ? (
        <p className="text-ink-3">requested as {requestedModel}</p>
      ) : null}
      <div className="mt-2 flex items-center gap-3">
        <Status record={record} />
        <Count record={record} />
        {status === 'rejected' || status === 'refused' ? null : (
          <>
            <span aria-hidden className="text-ink-3">
              ·
            </span>
            <span className="font-medium">
              {costStatus === 'unknown' ? 'Cost unknown' : <Cost record={record} />}
              {isCharged ? null : ', charged $0.00'}
            </span>
          </>
        )}
        {costStatus === 'estimated' || costStatus === 'unsettled' ? (
          <Badge tone="warn">{costStatusNames[costStatus]}</Badge>
        ) : null}
        {costStatus === 'plan' ? <Badge>plan</Badge> : null}
        {costStatus === 'cached' ? <Badge>from the cache</Badge> : null}
        {record.overflowFrom === null ? null : <Badge>plan used up</Badge>}
        {costStatus === 'confirmed' ? <Badge>confirmed</Badge> : null}
        {record.sample && record.costUsd ? <Badge>sample</Badge> : null}
      </div>
    </div>
  )
}

function Details({ record }: { record: RequestRecord }) {
  const timeZone = useTimeZone()
  const providerNames = useProviderNames()
  const { client, clientName, provider, httpStatus } = record
  const isStreamed = record.stream && record.status !== 'rejected'
  return (
    <Facts columns="grid-cols-[96px_1fr] gap-y-1.5">
      <Fact name="Started">{formatMoment(record.createdAt, timeZone)}</Fact>
      <Fact name="Last">{record.lastAt && formatMoment(record.lastAt, timeZone)}</Fact>
      <Fact name="Calls">{record.lastAt && formatCallCount(record)}</Fact>
      <Fact name="Endpoint" className="break-words font-mono text-sm">
        {record.endpoint && <Breakable path={record.endpoint} />}
      </Fact>
      <Fact name="Key" className="truncate">
        <FilterLink of="key" value={record.keyId}>
          <bdi>{record.keyName}</bdi>
        </FilterLink>
      </Fact>
      <Fact name="Client" className="break-words">
        {clientName === null ? (
          'Unknown'
        ) : (
          <FilterLink of="client" value={clientName}>
            <bdi>{clientName}</bdi>
          </FilterLink>
        )}
        {client !== null && client !== clientName ? (
          <span className="block text-ink-3 text-sm">{client}</span>
        ) : null}
      </Fact>
      <Fact name="Project" className="truncate">
        {record.tag && (
          <FilterLink of="tag" value={record.tag}>
            <bdi>{record.tag}</bdi>
          </FilterLink>
        )}
      </Fact>
      <Fact name="Session" className="truncate">
        {record.sessionId && <SessionLink id={record.sessionId} />}
      </Fact>
      <Fact name="Batch" className="truncate">
        {record.batch && (
          <FilterLink of="batch" value={record.batch.id}>
            {`Line ${record.batch.line}`} (<bdi>{record.batch.customId}</bdi>)
          </FilterLink>
        )}
      </Fact>
      <Fact name="Provider">
        {provider === null ? (
          'None'
        ) : (
          <FilterLink of="provider" value={provider}>
            {providerNames.get(provider) ?? provider}
          </FilterLink>
        )}
      </Fact>
      <Fact name="Response">
        {`${isStreamed ? 'streamed' : 'not streamed'}${httpStatus === null ? '' : `, HTTP ${httpStatus}`}`}
      </Fact>
      <Fact name="Prompts">{record.status === 'rejected' ? null : <StoredBodies record={record} />}</Fact>
      <Fact name="ID" className="-my-1 flex min-w-0 items-center gap-1">
        <span className="truncate font-mono text-sm">{record.id}</span>
        <CopyIconButton text={record.id} label="Copy request id" />
      </Fact>
    </Facts>
  )
}

interface FilterLinkProps {
  of: FilterName | 'batch'
  value: string
  children: ReactNode
}

/** Leads to the requests with the same value. */
function FilterLink({ of, value, children }: FilterLinkProps) {
  return (
    <Link href={`/requests?${of}=${encodeURIComponent(value)}`} className="text-accent-ink hover:underline">
      {children}
    </Link>
  )
}

function SessionLink({ id }: { id: string }) {
  const name = useSessionName(id)
  return (
    <Link
      href={`/sessions/${encodeURIComponent(id)}`}
      className="text-accent-ink hover:underline"
      title={name}
    >
      {name ?? id}
    </Link>
  )
}

/** A path that breaks before its separators. */
function Breakable({ path }: { path: string }) {
  return path.split(/(?=[/:])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity other than their position
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ))
}

function Section({ title, hint, children }: { title: string; hint?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className="mb-2 flex items-center gap-1">
        <h3 className="font-medium text-ink-3 text-xs">{title}</h3>
        {hint}
      </div>
      {children}
    </section>
  )
}

interface ErrorFactsProps {
  record: RequestRecord
  error: NonNullable<RequestRecord['error']>
}

function ErrorFacts({ record, error }: ErrorFactsProps) {
  // Not a failure: the client canceled.
  const mild = record.status === 'canceled'
  const solved = useSolved({
    error,
    keyId: record.keyId,
    model: record.requestedModel,
    failedAt: Date.parse(record.lastAt ?? record.createdAt),
  })
  const advice = mild ? null : (solved ?? adviceFor(error)?.text)
  return (
    <div className={cn('rounded-lg px-3.5 py-3', mild ? 'bg-sunken' : 'bg-bad-soft')}>
      <p className={cn('break-words font-medium', !mild && 'text-bad')}>{error.message}</p>
      {advice ? <p className="mt-1 text-ink-2">{advice}</p> : null}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <code className="font-mono text-ink-3 text-xs">
          {error.type}
          {error.code ? ` · ${error.code}` : ''}
          {error.param ? ` · ${error.param}` : ''}
        </code>
        {mild || solved !== null ? null : (
          <span className="ml-auto">
            <ErrorAction error={error} keyId={record.keyId} model={record.requestedModel} />
          </span>
        )}
      </div>
      {error.code === 'model_not_found' && solved === null && record.requestedModel !== null ? (
        <AliasForm name={record.requestedModel} />
      ) : null}
    </div>
  )
}

/** The kinds and places of secrets that were in the prompt. */
function Secrets({ secrets }: { secrets: NonNullable<RequestRecord['secrets']> }) {
  return (
    <div className="rounded-lg bg-warn-soft px-3.5 py-3">
      <p className="font-medium text-warn">
        {secrets.length === 1 ? 'The prompt had a secret' : `The prompt had ${secrets.length} secrets`}
      </p>
      <ul>
        {secrets.map(({ kind, position }) => (
          <li key={`${kind} ${position}`}>
            {kind} {position === null ? null : <code className="font-mono text-sm">{position}</code>}
          </li>
        ))}
      </ul>
      <p className="mt-1 text-ink-2">
        {secrets.length === 1 ? 'Replace it where it was issued.' : 'Replace them where they were issued.'}{' '}
        The key’s setting “Secrets in prompts” can keep such requests from being sent.
      </p>
    </div>
  )
}

/** Makes the unknown name an alias, so that the program that sent it need not be changed. */
function AliasForm({ name }: { name: string }) {
  const models = useChatModels()
  const [chosen, setChosen] = useState<string | null>(null)
  const { pending, error, submit } = useSubmit()
  const ids = models.map(({ id }) => id)
  const target = models.find(({ id }) => id === (chosen ?? findSimilarId(name, ids)))
  if (models.length === 0) return null
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (!target) return
    void submit(async () => {
      const upstreamModel = target.override?.upstreamModel ?? target.id
      await putModel(name, { provider: target.provider, upstreamModel })
      toast.success(`${name} is an alias of ${upstreamModel} from the next request on.`)
    })
  }
  return (
    <form onSubmit={add} className="mt-3 flex flex-wrap items-center gap-2">
      <span className="text-ink-2">Make it an alias of</span>
      <ModelPicker
        models={models}
        value={target?.id ?? ''}
        onChange={setChosen}
        label={`Model for ${name}`}
        className="min-w-48 flex-1"
      />
      <Button type="submit" disabled={!target} pending={pending}>
        Add alias
      </Button>
      <InlineError error={error} />
    </form>
  )
}

/** The amount that stays reserved after a request without an answer, and a button that releases it. */
function HeldAmount({ record }: { record: RequestRecord }) {
  const { id, keyName, heldUsd, heldUntil } = record
  const now = useNow()
  const zone = useTimeZone()
  if (heldUsd === null || heldUntil === null || Date.parse(heldUntil) <= now) return null
  const amount = formatUsd(heldUsd)
  const text = `${amount} stays reserved until ${formatTime(heldUntil, zone)}, because the provider may still bill it.`
  const release = async () => {
    await releaseRequest(id)
    toast.success(`Released ${amount}. ${quoteName(keyName)} can spend it again.`)
  }
  return <Ending text={text} action="Release" end={release} />
}
