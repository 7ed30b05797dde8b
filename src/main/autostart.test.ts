import { expect, test } from 'vitest'
import { autostartEntry } from './autostart.ts'

test('quotes every argument', () => {
  expect(autostartEntry(['/opt/Toll gate/tollgate', '--hidden'])).toContain(
    '\nExec="/opt/Toll gate/tollgate" "--hidden"\n',
  )
})

test('escapes what the specification reserves', () => {
  expect(autostartEntry(['/a"b$c%d'])).toContain('\nExec="/a\\\\"b\\\\$c%%d"\n')
})
