import { useState } from 'react'
import { t } from 'ttag'
import { dayName } from '../../../shared/values/calendar.ts'
import { localizeNumber } from '../../../shared/values/locale.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { formatDay } from '../../kit/format.ts'
import { parseUsd } from '../../kit/number-input.ts'
import { CURRENCIES, useSecondCurrency } from '../../kit/second-currency.tsx'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { SavedField } from './saved-field.tsx'
import { Row } from './section.tsx'

const NONE = 'none'

/** Sets the currency that amounts are also shown in. Its rate is typed in: nothing is fetched. */
export function CurrencyRow() {
  const { second, choose } = useSecondCurrency()
  const [code, setCode] = useState(second?.code ?? NONE)
  const now = useNow()
  const zone = useTimeZone() ?? 'UTC'
  const isSet = second !== null && second.code === code
  return (
    <Row
      text={
        isSet
          ? t`Shown next to USD at the rate of ${formatDay(second.asOf, now, 'UTC')}. Caps and exports stay in USD.`
          : t`Shows amounts in a second currency, too, at a rate that you type in. Caps and exports stay in USD.`
      }
    >
      <Select
        label={t`Second currency`}
        value={code}
        options={[{ value: NONE, label: t`None` }, ...CURRENCIES.map((value) => ({ value, label: value }))]}
        onChange={(next) => {
          setCode(next)
          choose(null)
        }}
      />
      {code === NONE ? null : (
        <SavedField
          key={code}
          label={t`${code} for 1 USD`}
          placeholder="0.00"
          inputMode="decimal"
          stored={isSet ? localizeNumber(String(second.rate)) : ''}
          parse={parseRate}
          save={async (rate) => choose({ code, rate, asOf: dayName(now, zone) })}
        />
      )}
    </Row>
  )
}

function parseRate(text: string): { value: number } | string {
  const amount = parseUsd(text)
  if (!amount.ok || amount.usd === null || amount.usd <= 0) return t`Enter a rate such as 0.92.`
  return { value: amount.usd }
}
