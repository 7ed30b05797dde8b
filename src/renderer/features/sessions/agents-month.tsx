import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Account, Subscription } from '../../../shared/api/account.ts'
import { api } from '../../data/api.ts'
import { updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { type Query, query } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { chooseUsdDecimals, formatRate, formatUsd } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Money } from '../../kit/money.tsx'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { formatInput, parseUsd } from '../../kit/number-input.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { KNOWN_SUBSCRIPTIONS, PRICES_FROM } from './known-subscriptions.ts'

const flatUsd = KNOWN_SUBSCRIPTIONS.map(({ monthlyUsd }) => monthlyUsd)
const FLAT_PRICES = `Flat subscriptions with an agent cost from $${Math.min(...flatUsd)} to $${Math.max(...flatUsd)} per month.`

interface AgentSpend {
  usd: number
  unpriced: number
}

/** The cost of the agents since a moment. Live events refresh queries that begin with `usage-in`. */
function agentSpend({ monthStartsAt, timeZone }: Account): Query<AgentSpend> {
  return query(['usage-in', 'agents', monthStartsAt], async () => {
    const { data } = await api('getUsage', { query: { groupBy: 'client', from: monthStartsAt, timeZone } })
    const agents = data.filter(({ group }) => isAgent(group))
    return {
      usd: agents.reduce((sum, { costUsd }) => sum + costUsd, 0),
      unpriced: agents.reduce((sum, { unpriced }) => sum + unpriced, 0),
    }
  })
}

/** This month's cost of the agents at API prices, compared with the cost of flat subscriptions. */
export function AgentsMonth() {
  const { data: account } = useQuery(queries.account)
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 overflow-hidden border-line border-t px-6 py-2 [scrollbar-gutter:stable] max-sm:px-4">
      {account ? <Comparison account={account} /> : <Skeleton className="h-5 w-96 max-w-full" />}
    </div>
  )
}

function Comparison({ account }: { account: Account }) {
  const { data: spend } = useQuery(agentSpend(account))
  const { data: settings } = useQuery(queries.settings)
  const [editing, setEditing] = useState(false)
  if (!spend || !settings) return <Skeleton className="h-5 w-96 max-w-full" />
  const { subscriptions } = settings
  return (
    <>
      <p>
        <span className="text-ink-2">This month’s agents: </span>
        <Money usd={spend.usd} className="font-semibold text-lg" />
        <span className="text-ink-2"> at API prices</span>
        {spend.unpriced === 0 ? null : (
          <span className="text-warn">{`+ ${spend.unpriced} requests without a price`}</span>
        )}
      </p>
      <p className="text-ink-2">
        {subscriptions.length === 0 ? FLAT_PRICES : compare(spend.usd, subscriptions)}
      </p>
      <Button small className="ml-auto" onClick={() => setEditing(true)}>
        {subscriptions.length === 0 ? 'Compare with yours' : 'Edit subscriptions'}
      </Button>
      {editing ? (
        <SubscriptionsDialog subscriptions={subscriptions} onClose={() => setEditing(false)} />
      ) : null}
    </>
  )
}

/** "Claude Max costs $100.00 per month: $112.40 less." */
export function compare(spentUsd: number, subscriptions: readonly Subscription[]): string {
  const flatUsd = subscriptions.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0)
  const differenceUsd = Math.abs(spentUsd - flatUsd)
  const decimals = chooseUsdDecimals([flatUsd, differenceUsd])
  const flat = `${formatUsd(flatUsd, decimals)} per month`
  const [first] = subscriptions
  const what =
    first && subscriptions.length === 1
      ? `${first.name} costs ${flat}`
      : `Your ${subscriptions.length} subscriptions cost ${flat}`
  const difference = formatUsd(differenceUsd, decimals)
  if (spentUsd > flatUsd) return `${what}: ${difference} less.`
  return spentUsd === flatUsd ? `${what}: as much.` : `${what}: ${difference} more than the API so far.`
}

/** The names by which coding agents call themselves; `-` and `_` are the same. */
const AGENTS =
  /^(claude|codex|opencode|gemini-?cli|qwen-?code|kilo-?code|cline|roo-?code|aider|goose|crush|charm|cursor|zed|continue|pi|amp|droid|copilot)([-_/ ]|$)/i

/** Whether a program is an agent that people also use with a flat subscription. `client`: its name, without a version. */
function isAgent(client: string): boolean {
  return AGENTS.test(client)
}

const MAX = 20

interface Row {
  id: number
  name: string
  usd: string
}

interface SubscriptionsDialogProps {
  subscriptions: readonly Subscription[]
  onClose: () => void
}

/** The prices of the user's flat subscriptions, which Tollgate cannot know. */
function SubscriptionsDialog({ subscriptions, onClose }: SubscriptionsDialogProps) {
  const [rows, setRows] = useState<Row[]>(() =>
    subscriptions.map(({ name, monthlyUsd }, id) => ({ id, name, usd: formatInput(monthlyUsd) })),
  )
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const add = (row: Omit<Row, 'id'>) =>
    setRows((now) => [...now, { ...row, id: Math.max(-1, ...now.map(({ id }) => id)) + 1 }])
  const change = (id: number, part: Partial<Row>) =>
    setRows((now) => now.map((row) => (row.id === id ? { ...row, ...part } : row)))
  const parsed = rows.map(parseRow)
  const isFull = rows.length >= MAX

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const next = parsed.flatMap((row) => row ?? [])
    if (next.length < rows.length) return
    void submit(() => updateSettings({ subscriptions: next }), onClose)
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Your subscriptions"
      description="Enter what you pay for flat subscriptions. Their price is only compared with what your agents cost here; it changes no limit and no total."
    >
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        {rows.length === 0 ? null : (
          <ul className="flex flex-col gap-2">
            {rows.map((row, index) => (
              <li key={row.id} className="flex items-center gap-2">
                <Input
                  aria-label={`Name of subscription ${index + 1}`}
                  value={row.name}
                  maxLength={100}
                  aria-invalid={tried && row.name.trim() === ''}
                  onChange={(event) => change(row.id, { name: event.target.value })}
                />
                <div className="w-32 shrink-0">
                  <Input
                    aria-label={`USD per month of subscription ${index + 1}`}
                    value={row.usd}
                    inputMode="decimal"
                    placeholder="USD per month"
                    aria-invalid={tried && parsed[index] === null}
                    onChange={(event) => change(row.id, { usd: event.target.value })}
                  />
                </div>
                <IconButton
                  small
                  label={`Remove ${row.name || 'this subscription'}`}
                  icon={X}
                  onClick={() => setRows((now) => now.filter(({ id }) => id !== row.id))}
                />
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-col gap-2">
          <p className="text-ink-3 text-sm">{`US list prices of ${PRICES_FROM}, without taxes. Change them to what you pay.`}</p>
          <div className="flex flex-wrap gap-1.5">
            {KNOWN_SUBSCRIPTIONS.map(({ name, monthlyUsd }) => (
              <Button
                key={name}
                small
                icon={Plus}
                disabled={isFull}
                onClick={() => add({ name, usd: formatInput(monthlyUsd) })}
              >
                {name} {formatRate(monthlyUsd).replace('.00', '')}
              </Button>
            ))}
            <Button small icon={Plus} disabled={isFull} onClick={() => add({ name: '', usd: '' })}>
              Another
            </Button>
          </div>
        </div>
        <InlineError
          error={
            error ??
            (tried && parsed.includes(null)
              ? 'Enter a name and an amount in USD for each subscription.'
              : null)
          }
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" pending={pending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Null if something is missing. */
function parseRow({ name, usd }: Row): Subscription | null {
  const amount = parseUsd(usd)
  return name.trim() === '' || !amount.ok || amount.usd === null
    ? null
    : { name: name.trim(), monthlyUsd: amount.usd }
}
