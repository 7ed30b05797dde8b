import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { startTestGateway } from '../../gateway/testing/gateway.ts'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { dashboardQueries, deployDir } from './dashboard.ts'

const read = (name: string) => readFileSync(join(deployDir, name), 'utf8')
const Rules = z.object({
  groups: z.array(
    z.object({ rules: z.array(z.object({ expr: z.string(), record: z.string().optional() })) }),
  ),
})

let metrics = ''
const tollgate = await forFile(startTestGateway())
await tollgate.call('GET', '/metrics')
await tollgate.createKey({ name: 'Capped', scope: 'full', spendLimitUsd: 1 })
await tollgate.addProvider('local', 'http://127.0.0.1:9/v1', [])
await tollgate.chat({})
metrics = (await tollgate.call('GET', '/metrics')).text

test('the dashboard and the rules use metrics and labels that the gateway has', () => {
  const rules = Rules.parse(parse(read('tollgate.rules.yml'))).groups.flatMap((group) => group.rules)
  const recorded = new Set(rules.map(({ record }) => record))
  const typed = [...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)
  const labels = new Set([...metrics.matchAll(/[{,](\w+)="/g)].map(([, name]) => name))
  const expressions = [...dashboardQueries(), ...rules.map(({ expr }) => expr)]
  expect(expressions.length).toBeGreaterThan(20)
  for (const expression of expressions) {
    const used = [...expression.matchAll(/tollgate[\w:]*/g)].map(([name]) => name)
    const unknown = used.filter(
      (name) => name !== 'tollgate' && !recorded.has(name) && !typed.includes(name.replace(/_bucket$/, '')),
    )
    expect(unknown, expression).toEqual([])
    const grouped = [...expression.matchAll(/(?:by|on) \(([\w, ]+)\)/g)].flatMap(([, list = '']) =>
      list.split(', '),
    )
    // "gateway" is added by prometheus.yml.
    expect(
      grouped.filter((label) => label !== 'gateway' && !labels.has(label)),
      expression,
    ).toEqual([])
  }
})

test('the proxies know every header in which a key can come', () => {
  for (const header of ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']) {
    expect(read('haproxy.cfg')).toContain(`req.hdr(${header})`)
    expect(read('nginx.conf')).toContain(`$http_${header.replaceAll('-', '_')}`)
  }
})
