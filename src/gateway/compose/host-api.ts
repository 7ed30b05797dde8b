// What a host, a command or the setup of tools needs of the gateway without running it. None of it loads the gateway, and a test
// of the built files limits what a command loads.

export type { NetworkAccess } from '../http/origin-guard.ts'
export { readUiFile, UI_HEADERS } from '../http/static-files.ts'
export {
  type CredentialEnvironment,
  type CredentialStore,
  CredentialStoreError,
} from '../models/providers/credential-store.ts'
export { syncFile, syncFolder, writeFileAtomic } from '../platform/durable-files.ts'
export { EventHub } from '../platform/events.ts'
export { redactSecrets } from '../platform/ids.ts'
export { createLog, LOG_LEVELS, type Log, type LogFields, type LogLevel, silentLog } from '../platform/log.ts'
export { hasSlowNativeCall, noteNativeCall } from '../platform/native-calls.ts'
export { SerialQueue } from '../platform/wait.ts'
export { damageNotePath, readHolder } from '../store/engine/files.ts'
export { DataDirHeldError, lockDataDir } from '../store/engine/lock.ts'
export { StoreError } from '../store/sql/store-error.ts'
export type { Gateway, GatewayOptions, SystemNetwork } from './gateway-api.ts'
