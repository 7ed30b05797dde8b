import type { ExportMapping } from '../../../shared/reconciliations.ts'

type Field = 'time' | 'model' | 'id' | 'requests' | 'input' | 'output' | 'cost'

/** Words of column names, from the most to the least telling. */
const WORDS: Readonly<Record<Field, readonly RegExp[]>> = {
  time: [
    /^(created|start|starting|request).?(at|time)/,
    /timestamp/,
    /^(usage.?)?date/,
    /\btime\b/,
    /^day$/,
    /^when$/,
    /date/,
  ],
  model: [/^model/, /model/, /^slug$/, /sku/, /deployment/],
  id: [/tollgate/, /^request.?id$/, /client.?request/],
  requests: [/(num|number|count).*request/, /^requests?$/, /request.*count/, /^calls$/],
  input: [/(input|prompt).*token/, /token.*(input|prompt|in)$/, /^(input|prompt)$/],
  output: [
    /(output|completion|generated).*token/,
    /token.*(output|completion|out)$/,
    /^(output|completion)$/,
  ],
  cost: [
    /total.*cost/,
    /cost.*total/,
    /^cost/,
    /cost.*usd/,
    /amount/,
    /cost/,
    /price/,
    /spend/,
    /charge/,
    /dollars?|\busd\b/,
    /^usage$/,
  ],
}

/**
 * The mapping that the names of the columns suggest; null if none is for the time, or there is nothing to compare. A row is
 * a request unless it counts requests, or its time is only a day (`isDay`).
 */
export function guessMapping(
  columns: readonly string[],
  isDay: (column: string) => boolean,
): ExportMapping | null {
  const find = (field: Field): string | null => {
    for (const word of WORDS[field]) {
      const found = columns.find((column) => word.test(plain(column)))
      if (found !== undefined) return found
    }
    return null
  }
  const time = find('time')
  const input = find('input')
  const output = find('output')
  const cost = find('cost')
  if (time === null || (input === null && output === null && cost === null)) return null
  const requests = find('requests')
  return {
    each: requests !== null || isDay(time) ? 'period' : 'request',
    time,
    model: find('model'),
    id: find('id'),
    requests,
    input: input === null ? [] : [input],
    output: output === null ? [] : [output],
    cost,
    costUnit: cost !== null && /cent/.test(plain(cost)) ? 'cents' : 'usd',
  }
}

function plain(column: string): string {
  return column
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .replaceAll(/[()$]/g, '')
    .trim()
}
