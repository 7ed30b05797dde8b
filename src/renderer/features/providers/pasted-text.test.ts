import { describe, expect, test } from 'vitest'
import { cleanBaseUrl, cleanKey } from './pasted-text.ts'

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
    expect(cleanBaseUrl(entered)).toBe(meant)
    expect(cleanBaseUrl(meant)).toBe(meant)
  })

  test.each([
    ['', ''],
    [' https://api.example.com/v1/ ', 'https://api.example.com/v1'],
    ['https://API.example.com:443/v1', 'https://api.example.com/v1'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://host.example/openai/v1', 'https://host.example/openai/v1'],
    ['ftp://example.org', 'ftp://example.org'],
    ['http://', 'http:'],
    ['not a url at all', 'not a url at all'],
  ])('%j stays %j', (entered, same) => {
    expect(cleanBaseUrl(entered)).toBe(same)
  })
})

describe('a key', () => {
  test.each([
    ['Bearer sk-1', 'sk-1'],
    ['"sk-1"', 'sk-1'],
    ['‘sk-1’', 'sk-1'],
    ['"Bearer sk-1"', 'sk-1'],
    ['Authorization: Bearer sk-1', 'sk-1'],
    ['x-api-key: sk-1', 'sk-1'],
    ['OPENAI_API_KEY=sk-1', 'sk-1'],
    ['export OPENAI_API_KEY="sk-1"', 'sk-1'],
    ['sk-1 \n 2', 'sk-12'],
    ['', ''],
    ['  ', ''],
    [' sk-1 ', 'sk-1'],
    ['AKIA123:secret/with=equals', 'AKIA123:secret/with=equals'],
    ['{"type": "service_account"}', '{"type": "service_account"}'],
    ['Bearer', 'Bearer'],
  ])('%j is the key %j', (entered, key) => {
    expect(cleanKey(entered)).toBe(key)
    expect(cleanKey(key)).toBe(key)
  })
})
