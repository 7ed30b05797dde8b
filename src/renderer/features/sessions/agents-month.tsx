import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { type ChangeEvent, useState } from 'react'
import { z } from 'zod'
import { HistorySum } from '../../../features/history/view/history.tsx'
import { useHistoryChoice } from '../../../features/history/view/use-history.ts'
import type { Account, Subscription } from '../../../shared/api/account.ts'
import { api } from '../../data/api.ts'
import { updateSettings } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { type Query, query } from '../../data/query-client.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Input } from '../../kit/field.tsx'
import { Form, useForm } from '../../kit/form.tsx'
import { chooseUsdDecimals, formatQuantity, formatRate, formatUsd } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Money } from '../../kit/money.tsx'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { formatInput, usdText } from '../../kit/number-input.ts'

/**
 * Subscriptions that include a coding agent, with suggested amounts: list prices in the USA, by the month and without taxes
 * (claude.com/pricing, openai.com/chatgpt/pricing, cursor.com/pricing, github.com/features/copilot/plans). Vendors change
 * them, so the user can change each amount.
 */
const KNOWN_SUBSCRIPTIONS: readonly Subscription[] = [
  { name: 'Claude Pro', monthlyUsd: 20 },
  { name: 'Claude Max', monthlyUsd: 100 },
  { name: 'Claude Ultra', monthlyUsd: 200 },
  { name: 'ChatGPT Plus', monthlyUsd: 20 },
  { name: 'ChatGPT Pro 5x', monthlyUsd: 100 },
  { name: 'ChatGPT Pro 20x', monthlyUsd: 200 },
  { name: 'Cursor Pro', monthlyUsd: 20 },
  { name: 'Cursor Ultra', monthlyUsd: 200 },
  { name: 'GitHub Copilot Pro', monthlyUsd: 10 },
  { name: 'GitHub Copilot Pro+', monthlyUsd: 39 },
  { name: 'GitHub Copilot Max', monthlyUsd: 100 },
]

/** The year of these prices. */
const PRICES_FROM = 2026

const flatUsd = KNOWN_SUBSCRIPTIONS.map(({ monthlyUsd }) => monthlyUsd)
const FLAT_PRICES = `Flat subscriptions with an agent cost from $${Math.min(...flatUsd)} to $${Math.max(...flatUsd)} per month.`

interface AgentSpend {
  /** With the worth of what plans have paid for. */
  usd: number
  /** From the logs of agents; not in `usd`. */
  importedUsd: number
  unpriced: number
}

/** The cost of the agents since a moment. Live events refresh queries that begin with `usage-in`. */
function agentSpend({ monthStartsAt, timeZone }: Account, isWithHistory: boolean): Query<AgentSpend> {
  return query(['usage-in', 'agents', monthStartsAt, isWithHistory], async () => {
    const { data } = await api('getUsage', {
      query: { groupBy: 'client', from: monthStartsAt, timeZone, ...(isWithHistory && { history: 'true' }) },
    })
    const imported = data.filter(({ origin }) => origin === 'import')
    const requests = data.filter(({ origin, group }) => origin !== 'import' && isAgent(group))
    return {
      usd: requests.reduce((sum, { costUsd, worthUsd }) => sum + costUsd + worthUsd, 0),
      importedUsd: imported.reduce((sum, { costUsd }) => sum + costUsd, 0),
      unpriced: [...requests, ...imported].reduce((sum, { unpriced }) => sum + unpriced, 0),
    }
  })
}

/** This month's cost of the agents at API prices, with their history where views show it, compared with flat subscriptions. */
export function AgentsMonth() {
  const { data: account } = useQuery(queries.account)
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 overflow-hidden border-line border-t px-6 py-2 [scrollbar-gutter:stable] max-sm:px-4">
      {account ? <Comparison account={account} /> : <Skeleton className="h-5 w-96 max-w-full" />}
    </div>
  )
}

function Comparison({ account }: { account: Account }) {
  const isWithHistory = useHistoryChoice() === true
  const { data: spend } = useQuery(agentSpend(account, isWithHistory))
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
        {spend.importedUsd === 0 ? null : (
          <>
            {' '}
            <HistorySum usd={spend.importedUsd} />
          </>
        )}
        {spend.unpriced === 0 ? null : (
          <span className="text-warn">{` + ${formatQuantity(spend.unpriced, 'request')} without a price`}</span>
        )}
      </p>
      <p className="text-ink-2">
        {subscriptions.length === 0 ? FLAT_PRICES : compare(spend.usd + spend.importedUsd, subscriptions)}
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

const SubscriptionForm = z.object({
  subscriptions: z.array(
    z.object({ name: z.string().trim().min(1), monthlyUsd: usdText.pipe(z.number()) }).strict(),
  ),
})

interface SubscriptionsDialogProps {
  subscriptions: readonly Subscription[]
  onClose: () => void
}

/** The prices of the user's flat subscriptions, which Tollgate cannot know. */
function SubscriptionsDialog({ subscriptions, onClose }: SubscriptionsDialogProps) {
  const form = useForm(SubscriptionForm, () => ({ subscriptions: subscriptions.map(toRow) }), { late: true })
  const rows = form.draft.subscriptions
  const setRows = (next: typeof rows) => form.change({ subscriptions: next })
  const isFull = rows.length >= MAX
  return (
    <Dialog
      open
      onClose={onClose}
      title="Your subscriptions"
      description="Enter what you pay for flat subscriptions. Their price is only compared with what your agents cost here; it changes no limit and no total."
    >
      <Form form={form} action="Save" save={updateSettings} onSaved={onClose} onClose={onClose}>
        {rows.length === 0 ? null : (
          <ul className="flex flex-col gap-2">
            {rows.map((row, index) => {
              const getInput = (field: keyof typeof row) => ({
                value: row[field],
                'aria-invalid': form.getError('subscriptions', String(index), field) !== null,
                onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
                  setRows(rows.with(index, { ...row, [field]: target.value })),
              })
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity other than their position
                <li key={index} className="flex items-center gap-2">
                  <Input
                    aria-label={`Name of subscription ${index + 1}`}
                    maxLength={100}
                    {...getInput('name')}
                  />
                  <div className="w-32 shrink-0">
                    <Input
                      aria-label={`USD per month of subscription ${index + 1}`}
                      inputMode="decimal"
                      placeholder="USD per month"
                      {...getInput('monthlyUsd')}
                    />
                  </div>
                  <IconButton
                    small
                    label={`Remove ${row.name || 'this subscription'}`}
                    icon={X}
                    onClick={() => setRows(rows.toSpliced(index, 1))}
                  />
                </li>
              )
            })}
          </ul>
        )}
        <div className="flex flex-col gap-2">
          <p className="text-ink-3 text-sm">{`US list prices of ${PRICES_FROM}, without taxes. Change them to what you pay.`}</p>
          <div className="flex flex-wrap gap-1.5">
            {KNOWN_SUBSCRIPTIONS.map((known) => (
              <Button
                key={known.name}
                small
                icon={Plus}
                disabled={isFull}
                onClick={() => setRows([...rows, toRow(known)])}
              >
                {known.name} {formatRate(known.monthlyUsd).replace('.00', '')}
              </Button>
            ))}
            <Button
              small
              icon={Plus}
              disabled={isFull}
              onClick={() => setRows([...rows, { name: '', monthlyUsd: '' }])}
            >
              Another
            </Button>
          </div>
        </div>
        <InlineError
          error={
            form.getError('subscriptions') === null
              ? null
              : 'Enter a name and an amount in USD for each subscription.'
          }
        />
      </Form>
    </Dialog>
  )
}

function toRow({ name, monthlyUsd }: Subscription) {
  return { name, monthlyUsd: formatInput(monthlyUsd) }
}
