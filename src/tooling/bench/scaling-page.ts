// The tables of docs/scaling.md that say what a proxy costs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands.ts'
import { formatMarkdown, type Table } from './report.ts'

const page = join(root, 'docs/scaling.md')
const HEADING = '## What a proxy costs'

export function writeScalingPage(tables: readonly Table[]): void {
  writeFileSync(page, formatScalingPage(readFileSync(page, 'utf8'), tables))
}

/** Puts the tables with their titles where those of an earlier run are. */
export function formatScalingPage(text: string, tables: readonly Table[]): string {
  const lines = text.split('\n')
  const start = lines.indexOf(HEADING)
  const end = lines.findIndex((line, at) => at > start && line.startsWith('## '))
  const first = lines.findIndex((line, at) => at > start && /^\*\*.+\*\*$/.test(line))
  const last = lines.findLastIndex((line, at) => at < end && line.startsWith('|'))
  if (start < 0 || first < 0 || first > last) throw new Error(`The page has no table under "${HEADING}".`)
  const formatted = tables.map((table) => `**${table.title}**\n\n${formatMarkdown(table)}`)
  return [...lines.slice(0, first), formatted.join('\n\n'), ...lines.slice(last + 1)].join('\n')
}
