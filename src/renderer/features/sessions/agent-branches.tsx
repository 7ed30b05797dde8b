import { t } from 'ttag'
import { type Branch, nameBranch } from '../../../shared/api/agent-tree.ts'
import { cn } from '../../kit/cn.ts'
import { chooseUsdDecimals, formatCount, formatDuration } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Uncharged } from '../../kit/uncharged.tsx'

/** How many tools of a branch are named. */
const MAX_TOOLS = 3

interface AgentBranchesProps {
  branches: readonly Branch[]
  /** The branch whose steps are shown; null for all. */
  chosen: string | null
  onChoose: (key: string | null) => void
}

/** The main agent of a session and the agents below it, with what each has used. A press shows the steps of one. */
export function AgentBranches({ branches, chosen, onChoose }: AgentBranchesProps) {
  const decimals = chooseUsdDecimals(branches.map(({ costUsd }) => costUsd))
  return (
    <section>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{t`Agents`}</h3>
      <ul className="-mx-2 flex flex-col">
        {branches.map((branch) => (
          <li key={branch.key}>
            <button
              type="button"
              aria-pressed={branch.key === chosen}
              onClick={() => onChoose(branch.key === chosen ? null : branch.key)}
              className={cn(
                'grid w-full grid-cols-[minmax(0,1fr)_auto] gap-x-3 rounded-md px-2 py-1.5 text-left hover:bg-sunken',
                branch.key === chosen && 'bg-sunken',
              )}
              style={{ paddingLeft: `${0.5 + Math.min(branch.depth, 6) * 1.25}rem` }}
            >
              <span className="truncate font-medium">
                <bdi>{nameBranch(branch)}</bdi>
              </span>
              <span className="whitespace-nowrap text-right">
                <Money usd={branch.costUsd} decimals={decimals} />{' '}
                <Uncharged sums={branch} className="text-ink-3 text-xs" />
              </span>
              <span className="col-span-2 truncate text-ink-3 text-xs">{describe(branch)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** `12 requests · 48.1k tokens · 1 min in models · 3.4 s in tools (Bash 2.1 s, Read 1.3 s)`. */
function describe({ requests, tokens, modelMs, toolMs, tools }: Branch): string {
  const named = tools.slice(0, MAX_TOOLS).map(([name, ms]) => `${name} ${formatDuration(ms)}`)
  if (tools.length > MAX_TOOLS) named.push('…')
  return [
    requests === 1 ? t`1 request` : t`${formatCount(requests)} requests`,
    t`${formatCount(tokens, true)} tokens`,
    t`${formatDuration(modelMs)} in models`,
    ...(toolMs > 0 ? [t`${formatDuration(toolMs)} in tools (${named.join(', ')})`] : []),
  ].join(' · ')
}
