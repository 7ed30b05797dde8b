import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Session } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { branchHref } from '../../data/request-link.ts'
import { cacheRate, computeLength, formatLength, formatRatio, getToolName } from '../../data/session-name.ts'
import { joinBranch, labelBranch } from '../../data/usage-label.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
import { Fact, Facts } from '../../kit/facts.tsx'
import { formatCount, formatMoment } from '../../kit/format.ts'
import { HelpHint } from '../../parts/help/help-hint.tsx'
import { Failures, SessionCost } from './session-table.tsx'

const sources: Readonly<Record<Session['source'], string>> = {
  'claude-code': 'Claude Code’s session id',
  codex: 'Codex’s session id',
  opencode: 'opencode’s session id',
  header: 'the header X-Tollgate-Session',
  user: 'the field user',
  metadata: 'the field metadata',
  pause: 'key and tool, until a pause of 30 minutes',
}

/** The figures of a session, and where it comes from. */
export function SessionFacts({ session }: { session: Session }) {
  const zone = useTimeZone()
  const { requests, tokensIn, tokensOut, tokensCached, keyId, keyName, clientName, tag, branches } = session
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-3 gap-px overflow-hidden rounded-lg border border-line bg-line">
        <Figure name="Cost">
          <SessionCost session={session} />
        </Figure>
        <Figure name="Requests">
          {formatCount(requests)}
          <Failures session={session} />
        </Figure>
        <Figure name="Duration">{formatLength(computeLength(session))}</Figure>
        <Figure name="Tokens in">{formatCount(tokensIn, true)}</Figure>
        <Figure name="Tokens out">{formatCount(tokensOut, true)}</Figure>
        <Figure name="Cache hit rate" hint="caching" note={`${formatCount(tokensCached, true)} tokens`}>
          {formatRatio(cacheRate(session))}
        </Figure>
      </dl>
      <Facts columns="grid-cols-[112px_1fr] gap-y-1.5">
        <Fact name="Started">{formatMoment(session.startedAt, zone)}</Fact>
        <Fact name="Last request">{formatMoment(session.lastAt, zone)}</Fact>
        <Fact name="Tool" className="truncate">
          {clientName === null ? 'Unknown' : getToolName(clientName)}
        </Fact>
        <Fact name="Project" className="truncate">
          {tag !== null && (
            <Link
              href={`/sessions?tag=${encodeURIComponent(tag)}`}
              className="text-accent-ink hover:underline"
            >
              {tag}
            </Link>
          )}
        </Fact>
        <Fact name={branches.length === 1 ? 'Branch' : 'Branches'} className="flex min-w-0 flex-col">
          {branches.length > 0 &&
            branches.map(joinBranch).map((branch) => (
              <Link
                key={branch}
                href={branchHref(branch, null)}
                className="truncate text-accent-ink hover:underline"
              >
                {labelBranch(branch)}
              </Link>
            ))}
        </Fact>
        <Fact name="Key" className="truncate">
          <Link href={`/keys?edit=${encodeURIComponent(keyId)}`} className="text-accent-ink hover:underline">
            {keyName}
          </Link>
        </Fact>
        <Fact
          name={
            <>
              Grouped by <HelpHint of="session" />
            </>
          }
        >
          {sources[session.source]}
        </Fact>
        <Fact name="ID" className="-my-1 flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-sm">{session.clientSessionId ?? session.id}</span>
          <CopyIconButton text={session.clientSessionId ?? session.id} label="Copy session id" />
        </Fact>
      </Facts>
    </div>
  )
}

interface FigureProps {
  name: string
  note?: string
  hint?: 'caching'
  children: ReactNode
}

function Figure({ name, note, hint, children }: FigureProps) {
  return (
    <div className="bg-raised px-3 py-2">
      <dt className="text-ink-3 text-xs">
        {name} {hint ? <HelpHint of={hint} /> : null}
      </dt>
      <dd className="font-semibold text-lg">
        {children}
        {note ? <span className="block font-normal text-ink-3 text-sm">{note}</span> : null}
      </dd>
    </div>
  )
}
