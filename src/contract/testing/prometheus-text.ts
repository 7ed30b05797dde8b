// A strict reader of Prometheus' text format, version 0.0.4:
// https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md

export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const VALUE = String.raw`[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN`
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (${VALUE})$`)
const HELP = new RegExp(`^# HELP (${NAME}) \\S.*$`)
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`)
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/
const SUFFIXES = /_(bucket|sum|count)$/

/** Throws for text that a scraper would reject. */
export function parsePrometheusText(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const samples: Sample[] = []
  const series = new Set<string>()
  let family = ''
  for (const line of text.split('\n')) {
    if (line === '' || HELP.test(line)) continue
    const [, named = '', type = ''] = TYPE.exec(line) ?? []
    if (named !== '') {
      if (types.has(named)) throw new Error(`two types of ${named}`)
      types.set(named, type)
      family = named
      continue
    }
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
    const base = types.get(family) === 'histogram' ? name.replace(SUFFIXES, '') : name
    if (base === '' || base !== family) throw new Error(`not a sample of ${family}: ${line}`)
    if (types.get(family) === 'counter' && !name.endsWith('_total'))
      throw new Error(`${name} is no counter's name`)
    const sample = { name, labels: parseLabels(labels), value: Number(value.replace('Inf', 'Infinity')) }
    const identity = JSON.stringify([name, Object.entries(sample.labels).sort()])
    if (series.has(identity)) throw new Error(`twice: ${line}`)
    series.add(identity)
    samples.push(sample)
  }
  return samples
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  for (let rest = text; rest !== ''; ) {
    const [whole, name = '', value = ''] = LABEL.exec(rest) ?? []
    if (whole === undefined || name in labels) throw new Error(`not labels: ${text}`)
    labels[name] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
    rest = rest.slice(whole.length)
  }
  return labels
}
