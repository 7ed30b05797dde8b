// The effects of rules on one request, and the rules of one key.
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../renderer/kit/button.tsx'
import { Money } from '../../../renderer/kit/money.tsx'
import type { RuleEffect } from '../api/effects.ts'
import { describeRuleAnswer } from '../api/texts.ts'
import { RuleDialog } from './rule-dialog.tsx'
import { rulesQuery } from './rules.ts'

export function RuleEffects({ effects }: { effects: readonly RuleEffect[] }) {
  return (
    <ul aria-label="Rules" className="flex flex-col gap-2">
      {effects.map((effect) => (
        <li key={`${effect.ruleId} ${effect.shadow}`} className="rounded-lg bg-sunken px-3.5 py-3">
          <p className="font-medium">
            {nameEffect(effect)} “{effect.ruleName}”
          </p>
          {effect.answer === null ? null : <p className="text-ink-2">{describeRuleAnswer(effect)}</p>}
          {effect.unable === null ? null : (
            <p className="text-ink-2">Went on as requested: {effect.unable}</p>
          )}
          {effect.changes.map(({ field, asked, sent }) => (
            <p key={field} className="text-ink-2">
              <code className="font-mono text-sm">{field}</code>: {asked} → {sent ?? 'removed'}
            </p>
          ))}
          <Saved effect={effect} />
        </li>
      ))}
    </ul>
  )
}

function nameEffect({ shadow, answer }: RuleEffect): string {
  if (!shadow) return 'Rule'
  return answer === null ? 'Would have been changed by' : 'Tried rule'
}

function Saved({ effect: { shadow, savedUsd, rewriteUsd, changes } }: { effect: RuleEffect }) {
  if (changes.length === 0 || savedUsd === null) return null
  return (
    <p className="text-ink-3 text-sm">
      {shadow ? 'Would have saved' : 'Saved'} <Money usd={savedUsd} /> at the same tokens
      {rewriteUsd !== null && rewriteUsd > 0 ? (
        <>
          , and <Money usd={rewriteUsd} /> of it went into writing the cached prompt again
        </>
      ) : null}
      .
    </p>
  )
}

/** The rules that name the key, and a new one for it. */
export function KeyRules({ keyId }: { keyId: string }) {
  const { data = [] } = useQuery(rulesQuery)
  const [isAdding, setAdding] = useState(false)
  const own = data.filter(({ when }) => when.some((each) => each.kind === 'key' && each.keys.includes(keyId)))
  return (
    <section aria-label="Rules of this key" className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-52 flex-1">
        <h3 className="font-medium">Rules</h3>
        {own.length === 0 ? (
          <p className="text-ink-3 text-sm">
            A rule can make its requests cheaper before its cap stops them.
          </p>
        ) : (
          <ul>
            {own.map(({ id, sentence, mode }) => (
              <li key={id} className={mode === 'off' ? 'text-ink-3' : 'text-ink-2'}>
                {sentence} {mode === 'off' ? '(off)' : mode === 'shadow' ? '(only tried)' : ''}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Button small icon={Plus} onClick={() => setAdding(true)}>
        Add rule
      </Button>
      {isAdding ? (
        <RuleDialog
          id={null}
          initial={{ name: null, when: [{ kind: 'key', keys: [keyId] }], do: [], at: 'start', mode: 'off' }}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </section>
  )
}
