import { describe, expect, test } from 'vitest'
import { fixBaseUrl, fixKey } from './fixable-field.tsx'

describe('a base URL', () => {
  test.each([
    ['http://127.0.0.1:8080/v1/chat/completions', 'http://127.0.0.1:8080/v1'],
    ['https://api.example.com/v1/models', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/messages/', 'https://api.example.com/v1'],
    ['https://api.example.com/v1/responses', 'https://api.example.com/v1'],
    ['https://host.example/v1beta/models/gemini-3-pro:generateContent', 'https://host.example/v1beta'],
    ['https://api.example.com/v1/chat/completions?api-version=1#top', 'https://api.example.com/v1'],
    ['https://user:pass@api.example.com/v1', 'https://api.example.com/v1'],
    ['localhost:11434', 'http://localhost:11434'],
    ['127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['[::1]:8080/v1', 'http://[::1]:8080/v1'],
    ['server:8000/v1', 'http://server:8000/v1'],
    ['//192.168.1.20:8000/v1', 'http://192.168.1.20:8000/v1'],
    ['api.example.com/v1', 'https://api.example.com/v1'],
    ['"https://api.example.com/v1"', 'https://api.example.com/v1'],
    ['https://api.example.com /v1', 'https://api.example.com/v1'],
  ])('%s was meant as %s', (entered, meant) => {
    expect(fixBaseUrl(entered)).toBe(meant)
    expect(fixBaseUrl(meant)).toBeNull()
  })

  test.each([
    '',
    ' https://api.example.com/v1/ ',
    'https://API.example.com:443/v1',
    'http://127.0.0.1:8080',
    'https://host.example/openai/v1',
    'ftp://example.org',
    'http://',
    'not a url at all',
  ])('nothing is offered for %j', (entered) => {
    expect(fixBaseUrl(entered)).toBeNull()
  })
})

describe('a key', () => {
  test.each([
    ['Bearer sk-1', '“Bearer”', 'sk-1'],
    ['"sk-1"', 'the quotes', 'sk-1'],
    ['‘sk-1’', 'the quotes', 'sk-1'],
    ['"Bearer sk-1"', 'the quotes and “Bearer”', 'sk-1'],
    ['Authorization: Bearer sk-1', 'the header’s name and “Bearer”', 'sk-1'],
    ['x-api-key: sk-1', 'the header’s name', 'sk-1'],
    ['OPENAI_API_KEY=sk-1', '“OPENAI_API_KEY=”', 'sk-1'],
    ['export OPENAI_API_KEY="sk-1"', '“export OPENAI_API_KEY=” and the quotes', 'sk-1'],
    ['sk-1 \n 2', 'the spaces', 'sk-12'],
  ])('%j was meant without %s', (entered, excess, fixed) => {
    expect(fixKey(entered)).toEqual({ excess, fixed })
    expect(fixKey(fixed)).toBeNull()
  })

  test.each([
    '',
    '  ',
    'sk-1',
    ' sk-1 ',
    'AKIA123:secret/with=equals',
    '{"type": "service_account"}',
    'Bearer',
  ])('nothing is offered for %j', (entered) => {
    expect(fixKey(entered)).toBeNull()
  })
})
