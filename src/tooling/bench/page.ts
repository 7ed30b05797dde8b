// docs/performance.md: the text of the template with the tables of a run.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands.ts'
import { type CaseReport, formatMarkdown, goalTable, type Table } from './report.ts'

export interface RunReport extends CaseReport {
  remarks: string[]
  machine: Table
}

const template = join(import.meta.dirname, 'performance.template.md')
const page = join(root, 'docs/performance.md')

export function writePage(run: RunReport): void {
  writeFileSync(page, formatPage(readFileSync(template, 'utf8'), run))
}

/** Puts the tables in place of the template's lines in braces. */
export function formatPage(text: string, { goals, tables, remarks, machine }: RunReport): string {
  const parts: Record<string, string> = {
    targets: formatMarkdown(goalTable(goals)),
    machine: formatMarkdown(machine),
    measurements: tables
      .filter(({ isDetail }) => !isDetail)
      .map((table) => `### ${table.title}\n\n${formatMarkdown(table)}`)
      .join('\n\n'),
    remarks: remarks.map((remark) => `- ${remark}`).join('\n'),
  }
  return text.replace(/^\{(\w+)\}$/gm, (_, name: string) => parts[name] ?? '')
}
