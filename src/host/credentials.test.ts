import { describe, expect, test } from 'vitest'
import { CredentialStoreError } from '../gateway/compose/host-api.ts'
import { hasKeychain, type Keychain, keychainCredentials } from './keychain.ts'
import { createMemoryCredentials, credentialEnvironment, envCredentials } from './provider-secrets.ts'

function fakeKeychain(over: Partial<Keychain> = {}): Keychain {
  const stored = new Map<string, string>()
  return {
    getPassword: async (service, account) => stored.get(`${service}/${account}`) ?? null,
    setPassword: async (service, account, secret) => void stored.set(`${service}/${account}`, secret),
    deletePassword: async (service, account) => stored.delete(`${service}/${account}`),
    ...over,
  }
}

describe('memory credentials', () => {
  test('store, return and delete', async () => {
    const store = createMemoryCredentials()
    await store.set('openai', 'sk-1')
    expect(await store.get('openai')).toBe('sk-1')
    await store.delete('openai')
    expect(await store.get('openai')).toBeNull()
  })
})

describe('environment credentials', () => {
  test('prefer the Tollgate variable to the vendor’s', async () => {
    const store = envCredentials({ TOLLGATE_CREDENTIAL_OPENAI: 'ours', OPENAI_API_KEY: 'theirs' })
    expect(await store.get('openai')).toBe('ours')
    expect(await envCredentials({ OPENAI_API_KEY: 'theirs' }).get('openai')).toBe('theirs')
    expect(await envCredentials({ MY_SERVER_API_KEY: 'x' }).get('my-server')).toBe('x')
    expect(await store.get('groq')).toBeNull()
    expect(await envCredentials({ GOOGLE_API_KEY: 'theirs' }).get('gemini')).toBe('theirs')
  })

  test('are found together with their variables, for an import', () => {
    expect(credentialEnvironment({ GROQ_API_KEY: ' x ' }).find('groq')).toEqual({
      variable: 'GROQ_API_KEY',
      secret: 'x',
    })
    expect(credentialEnvironment({ GROQ_API_KEY: ' ' }).find('groq')).toBeNull()
  })

  test('cannot be written, and the error says which variable to set', async () => {
    await expect(envCredentials({}).set('groq', 'x')).rejects.toThrow(/TOLLGATE_CREDENTIAL_GROQ/)
  })

  test('cannot be deleted', async () => {
    await envCredentials({}).delete('groq')
    await expect(envCredentials({ GROQ_API_KEY: 'x' }).delete('groq')).rejects.toThrow(CredentialStoreError)
  })
})

describe('keychain credentials', () => {
  test('write under the service name Tollgate and read back', async () => {
    const lookups: string[] = []
    const chain = fakeKeychain()
    const store = keychainCredentials({
      load: () => ({
        ...chain,
        setPassword: (service, account, secret) => {
          lookups.push(`${service}/${account}`)
          return chain.setPassword(service, account, secret)
        },
      }),
    })
    await store.set('openai', 'sk-1')
    expect(lookups).toEqual(['Tollgate/openai'])
    expect(await store.get('openai')).toBe('sk-1')
    await store.delete('openai')
    expect(await store.get('openai')).toBeNull()
  })

  test('do not load the native module before the first call', () => {
    keychainCredentials({
      load: () => {
        throw new Error('loaded')
      },
    })
  })

  test('say what to install when the native module cannot be loaded', async () => {
    const store = keychainCredentials({
      load: () => {
        throw new Error('libsecret-1.so.0: cannot open shared object file')
      },
    })
    await expect(store.get('openai')).rejects.toThrow(CredentialStoreError)
    if (process.platform === 'linux') await expect(store.get('openai')).rejects.toThrow(/libsecret-1-0/)
  })

  test('report a write that the keychain lost', async () => {
    const store = keychainCredentials({ load: () => fakeKeychain({ getPassword: async () => null }) })
    await expect(store.set('openai', 'sk-1')).rejects.toThrow(/did not store it/)
  })

  test('run calls one after the other', async () => {
    let running = 0
    let most = 0
    const store = keychainCredentials({
      load: () =>
        fakeKeychain({
          getPassword: async () => {
            most = Math.max(most, ++running)
            await new Promise((resolve) => setImmediate(resolve))
            running--
            return null
          },
        }),
    })
    await Promise.all([store.get('a'), store.get('b'), store.get('c')])
    expect(most).toBe(1)
  })

  test('time out when the keychain does not respond, and recover when it does', async () => {
    const pending: ((value: string | null) => void)[] = []
    const store = keychainCredentials({
      limitMs: 10,
      load: () => fakeKeychain({ getPassword: () => new Promise((resolve) => pending.push(resolve)) }),
    })
    await expect(store.get('a')).rejects.toThrow(/does not respond/)
    await expect(store.get('b')).rejects.toThrow(/does not respond/)
    expect(pending).toHaveLength(1)
    pending[0]?.(null)
    const again = store.get('c')
    await expect.poll(() => pending.length).toBe(2)
    pending[1]?.('sk-1')
    expect(await again).toBe('sk-1')
  })

  test.each([
    ['Cannot autolaunch D-Bus without X11 $DISPLAY', /dbus-run-session/],
    ['The name org.freedesktop.secrets was not provided by any .service files', /gnome-keyring/],
    ['Object does not exist at path “/org/freedesktop/secrets/collection/login”', /locked/],
  ])('explain “%s” to the user', async (message, sentence) => {
    const store = keychainCredentials({
      load: () =>
        fakeKeychain({
          getPassword: async () => {
            throw new Error(message)
          },
        }),
    })
    await expect(store.get('openai')).rejects.toThrow(sentence)
  })
})

describe('a keychain', () => {
  const load = () => fakeKeychain()
  const broken = () => {
    throw new Error('libsecret-1.so.0: cannot open shared object file')
  }
  const bus = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus' }
  test.each([
    ['linux', bus, load, true],
    ['linux', {}, load, false],
    ['linux', bus, broken, false],
    ['darwin', {}, load, true],
    ['win32', {}, broken, false],
  ] as const)('on %s with %j', (platform, env, loader, expected) => {
    expect(hasKeychain({ platform, env, load: loader })).toBe(expected)
  })
})
