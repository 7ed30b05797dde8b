import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Session } from '../../../shared/api/sessions.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { branchHref } from '../../data/request-link.ts'
import { cacheRate, computeLength, formatLength, formatRatio, getToolName } from '../../data/session-name.ts'
import { joinBranch, labelBranch } from '../../data/usage-label.ts'
import { CopyIconButton } from '../../kit/copy.tsx'
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
      <dl className="grid grid-cols-[112px_1fr] gap-y-1.5 [&>dt]:text-ink-3">
        <dt>Started</dt>
        <dd>{formatMoment(session.startedAt, zone)}</dd>
        <dt>Last request</dt>
        <dd>{formatMoment(session.lastAt, zone)}</dd>
        <dt>Tool</dt>
        <dd className="truncate">{clientName === null ? 'Unknown' : getToolName(clientName)}</dd>
        {tag === null ? null : (
          <>
            <dt>Project</dt>
            <dd className="truncate">
              <Link
                href={`/sessions?tag=${encodeURIComponent(tag)}`}
                className="text-accent-ink hover:underline"
              >
                {tag}
              </Link>
            </dd>
          </>
        )}
        {branches.length === 0 ? null : (
          <>
            <dt>{branches.length === 1 ? 'Branch' : 'Branches'}</dt>
            <dd className="flex min-w-0 flex-col">
              {branches.map((place) => (
                <Link
                  key={joinBranch(place)}
                  href={branchHref(joinBranch(place), null)}
                  className="truncate text-accent-ink hover:underline"
                >
                  {labelBranch(joinBranch(place))}
                </Link>
              ))}
            </dd>
          </>
        )}
        <dt>Key</dt>
        <dd className="truncate">
          <Link href={`/keys?edit=${encodeURIComponent(keyId)}`} className="text-accent-ink hover:underline">
            {keyName}
          </Link>
        </dd>
        <dt>
          Grouped by <HelpHint of="session" />
        </dt>
        <dd>{sources[session.source]}</dd>
        <dt>ID</dt>
        <dd className="-my-1 flex min-w-0 items-center gap-1">
          <span className="truncate font-mono text-sm">{session.clientSessionId ?? session.id}</span>
          <CopyIconButton text={session.clientSessionId ?? session.id} label="Copy session id" />
        </dd>
      </dl>
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
