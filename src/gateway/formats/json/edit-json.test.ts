import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editMembers, readMember, removeAt, removeMember, replaceAt, setMember } from './edit-json.ts'

describe('setMember', () => {
  test.each([
    ['{"model":"a","max":1}', '{"model":"b","max":1}'],
    ['{ "max": 9223372036854775807, "model" : "a" }', '{ "max": 9223372036854775807, "model" : "b" }'],
    ['{}', '{"model":"b"}'],
    [' { "x": [1, {"model": "no"}] }\n', ' { "x": [1, {"model": "no"}],"model":"b" }\n'],
    ['{"text":"\\"model\\":\\"a\\"","mod\\u0065l":null}', '{"text":"\\"model\\":\\"a\\"","mod\\u0065l":"b"}'],
  ])('changes only the member: %s', (before, after) => {
    expect(setMember(before, ['model'], 'b')).toBe(after)
  })

  test('sets a nested member, and adds the objects on the way', () => {
    expect(setMember('{"usage":{"a":1.0}}', ['usage', 'cost'], 0.5)).toBe('{"usage":{"a":1.0,"cost":0.5}}')
    expect(setMember('{"usage":null}', ['usage', 'cost'], 1)).toBe('{"usage":{"cost":1}}')
    expect(setMember('{"a":1}', ['b', 'c', 'd'], [])).toBe('{"a":1,"b":{"c":{"d":[]}}}')
  })
})

test('editMembers sets, adds and removes several members', () => {
  const json = '{"a": 1,"b":[2] , "c":{"d":3}}'
  expect(editMembers(json, { c: null, a: 'x', e: 1, f: undefined, b: undefined, g: [] })).toBe(
    '{"a": "x","c":null,"e":1,"g":[]}',
  )
  expect(editMembers('{ }', { a: 1 })).toBe('{"a":1 }')
  expect(editMembers(json, { z: undefined })).toBe(json)
})

test('removeMember removes the member and one comma', () => {
  expect(removeMember('{"a":1,"b":2,"c":3}', 'a')).toBe('{"b":2,"c":3}')
  expect(removeMember('{"a":1, "b":{"c":2} , "c":3}', 'b')).toBe('{"a":1, "c":3}')
  expect(removeMember('{"a":1 , "b":2 }', 'b')).toBe('{"a":1  }')
  expect(removeMember('{"a":1}', 'a')).toBe('{}')
  expect(removeMember('{"a":1}', 'b')).toBe('{"a":1}')
})

test('removeAt and replaceAt reach into objects and arrays, and change nothing where nothing is', () => {
  const json = '{"a": [ {"b":1.0 , "c":2}, [3] ,"d" ], "e":{}}'
  expect(removeAt(json, ['a', 0, 'b'])).toBe('{"a": [ {"c":2}, [3] ,"d" ], "e":{}}')
  expect(removeAt(json, ['a', 0])).toBe('{"a": [ [3] ,"d" ], "e":{}}')
  expect(removeAt(json, ['a', 2])).toBe('{"a": [ {"b":1.0 , "c":2}, [3]  ], "e":{}}')
  expect(replaceAt(json, ['a', 1, 0], { x: 4 })).toBe(json.replace('3', '{"x":4}'))
  for (const path of [['a', 3], ['a', 'b'], ['e', 0], ['a', 0, 'b', 'c'], ['x']]) {
    expect(removeAt(json, path)).toBe(json)
    expect(replaceAt(json, path, 1)).toBe(json)
  }
})

test('readMember returns the text of the value', () => {
  expect(readMember('{"a": {"b":[1, 2]} ,"c":1e400}', 'a')).toBe('{"b":[1, 2]}')
  expect(readMember('{"a":1,"c":1e400}', 'c')).toBe('1e400')
  expect(readMember('{"a":1}', 'b')).toBeNull()
})

test('every edit of any JSON object has the same result as an edit of the parsed object', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(object, fc.string(), fc.jsonValue(), fc.nat(3), (given, name, value, indent) => {
      // Members of every object, such as `toString`, would be read from the prototype.
      fc.pre(!(name in {}) && !Object.keys(given).includes('__proto__'))
      const json = JSON.stringify(given, null, indent)
      const { [name]: removed, ...rest } = JSON.parse(json)
      expect(JSON.parse(removeMember(json, name))).toEqual(rest)
      expect(JSON.parse(setMember(json, [name], value))).toEqual(
        JSON.parse(JSON.stringify({ ...given, [name]: value })),
      )
      const other = `${name}x`
      const { [other]: _, ...expected } = JSON.parse(JSON.stringify({ ...given, [name]: value }))
      expect(JSON.parse(editMembers(json, { [name]: value, [other]: undefined }))).toEqual(expected)
      expect(JSON.parse(readMember(json, name) ?? 'null')).toEqual(removed ?? null)
    }),
  )
})
